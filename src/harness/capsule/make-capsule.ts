/** From a failed run of a case to its capsule: bounded, and clean of secrets before anything is cut short. */
import { VERSION } from '../../peer/version.js';
import type { Finding } from '../checkers/finding.js';
import type { Direction, Link, TapConnection } from '../lab/ports.js';
import { legible } from '../lab/websocket-messages.js';
import type { Exchange } from '../run/record/exchanges.js';
import type { Step } from '../run/schedule.js';
import type { SweepTaken } from '../run/sweeps.js';
import { BOUNDS, CAPSULE_SCHEMA, type Capsule } from './capsule.js';
import { withoutSecrets } from './secrets.js';

/** What one run of the case leaves. */
export interface RanOnce {
  findings: readonly Finding[];
  sweeps: readonly SweepTaken[];
  steps: readonly Step[];
  exchanges: readonly Exchange[];
  links: readonly Link[];
}

export interface Failure {
  case: string;
  seed: number;
  defect: string | undefined;
  reason: string;
  /** The run as it failed first. */
  first: RanOnce;
  /** The run of the smallest schedule; the first one where there is no smaller. */
  smallest: RanOnce;
  shrunk: Capsule['shrunk'];
  /** `toxiproxy v2.12.0`, `embedded …` or `none`. */
  injector: string;
  secrets: ReadonlySet<string>;
}

export function makeCapsule(failure: Failure): Capsule {
  const { smallest, secrets } = failure;
  const clean = (text: string) => withoutSecrets(text, secrets);
  const shown = (text: string) => shorten(clean(text));
  const left_out: string[] = [];
  const bounded = <T>(items: readonly T[], most: number, what: string): T[] => {
    if (items.length > most) left_out.push(`${items.length - most} ${what}`);
    return items.slice(0, most);
  };
  const connections = bounded(smallest.links, BOUNDS.links, 'links').flatMap(({ name, tap }) =>
    tap.connections.map((connection) => ({ name, connection })),
  );
  return fitting({
    schema: CAPSULE_SCHEMA,
    case: failure.case,
    seed: failure.seed,
    defect: failure.defect ?? null,
    reason: clean(failure.reason),
    findings: failure.first.findings.map(({ rule, subject, what }) => ({ rule, subject, what: clean(what) })),
    schedule: {
      sweeps: smallest.sweeps.map(({ name, of, points }) => ({
        name,
        of,
        points: bounded(points, BOUNDS.points, `points of ${name}`).map(({ index, point }) => ({
          index,
          point: json(point, clean),
        })),
      })),
      steps: bounded(smallest.steps, BOUNDS.steps, 'steps').map(({ detail, ...step }) => ({
        ...step,
        ...(detail === undefined ? {} : { detail: json(detail, clean) }),
      })),
    },
    shrunk: failure.shrunk,
    journal: {
      connections: bounded(connections, BOUNDS.connections, 'connections').map(({ name, connection }) => ({
        link: name,
        index: connection.index,
        opened_ms: rounded(connection.opened_ms),
        upstream: half(connection, 'upstream', shown),
        downstream: half(connection, 'downstream', shown),
        chunks: bounded(connection.wire, BOUNDS.chunks, `chunks of ${name}`).map(
          ({ at_ms, direction, offset, length }) => ({ at_ms: rounded(at_ms), direction, offset, length }),
        ),
      })),
      exchanges: smallest.exchanges.slice(-BOUNDS.exchanges).map(({ sent, received, ...rest }) => ({
        ...rest,
        ...(sent === undefined ? {} : { sent: shown(sent) }),
        received: shown(received),
      })),
      left_out,
    },
    versions: {
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
      product: VERSION,
      injector: failure.injector,
    },
    made_at: new Date().toISOString(),
  });
}

/** A file that was cut to its bound would be no JSON any more: the wire is left out instead. */
function fitting(capsule: Capsule): Capsule {
  if (JSON.stringify(capsule, null, 1).length <= BOUNDS.file) return capsule;
  const left_out = [...capsule.journal.left_out, 'the whole wire: the capsule would be too long'];
  return { ...capsule, journal: { connections: [], exchanges: [], left_out } };
}

function half(connection: TapConnection, direction: Direction, shown: (text: string) => string) {
  return {
    ended: connection.ended[direction],
    bytes: connection.received[direction],
    text: shown(legible(connection.plain(direction))),
  };
}

/**
 * As JSON has it: no functions, no undefined, and no secrets. Each text is cleaned by itself: within JSON an escape
 * before a secret would be taken for its beginning.
 */
function json(value: unknown, clean: (text: string) => string): unknown {
  const text = JSON.stringify(value ?? null, (_key, one: unknown) =>
    typeof one === 'string' ? clean(one) : one,
  );
  return JSON.parse(text);
}

function shorten(text: string): string {
  if (text.length <= BOUNDS.text) return text;
  const half = BOUNDS.text / 2;
  return `${text.slice(0, half)}\n[${text.length - BOUNDS.text} characters left out]\n${text.slice(-half)}`;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
