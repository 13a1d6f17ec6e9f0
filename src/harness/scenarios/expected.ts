/**
 * The log, the Tasks and the signed result that a scenario implies (profile sections 4 to 6), in the plain form: what is
 * new each time stands there by name (names.ts, plain.ts). Pure; nothing of it was received from anybody.
 */
import type { Part } from '../../profile/model.js';
import type { Json } from '../wire/probe.js';
import { type Act, type Turn, turnOf } from './acts.js';
import type { Scenario } from './scenario.js';

/** Who hands over and who works, as the result names them. */
export interface Peers {
  executor: string;
  caller: string;
}

export interface Expected {
  /** The sequence of the terminal event. */
  last: number;
  /** Where the log stands while the agent waits; 0 when none is prompted. */
  held: number;
  event(sequence: number): Json;
  /** The Task that includes the first `sequence` events. */
  taskAt(sequence: number): Json;
  /** What of the scenario's words can be in the message of a progress event. */
  words: readonly string[];
}

interface Artifact {
  artifactId: string;
  parts: Part[];
}

/** One event, as far as it is not the same in all of them. */
type Step =
  | { state: string; message?: Json; beside?: Json }
  | { artifact: Artifact; append?: true; lastChunk?: true };

const CORE: Readonly<Record<string, string>> = {
  completed: 'TASK_STATE_COMPLETED',
  cancelled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
};
const WORKING = 'TASK_STATE_WORKING';
const RECORDED = { cancel: { requested_at: '<time>' } };

export function expectedOf(scenario: Scenario, peers: Peers): Expected {
  const { script, ending, capabilities } = scenario;
  const refused = ending.by === 'refusal';
  const before = turnOf(script);
  const turn = turnOf(ending.by === 'agent' ? [...script, ...ending.script] : script);
  const words = [...new Set(turn.acts.flatMap((act) => (act.kind === 'progress' ? act.words : [])))];
  const log = new Log(words);
  const held = refused ? 0 : 2 + before.acts.length;

  log.steps.push({ state: 'TASK_STATE_SUBMITTED' });
  if (!refused) log.steps.push({ state: WORKING });
  for (const act of turn.acts) log.act(act);
  if (ending.by === 'cancel') log.steps.push({ state: WORKING, beside: RECORDED });
  log.close();

  const { status, error } = outcomeOf(scenario, turn);
  const last = log.steps.length + 1;
  const effective = refused ? [] : capabilities;
  const result = {
    protocol_version: 1,
    request_id: '<request>',
    task_id: '<task>',
    turn_id: '<turn>',
    status,
    summary: refused ? '' : turn.summary,
    error,
    executed_by: peers.executor,
    caller: peers.caller,
    effective_capabilities: effective,
    request_digest: '<request digest>',
    result_digest: '<result digest>',
    artifacts: [...log.artifactsAt(last).keys()].map((artifact_id) => ({
      artifact_id,
      owner: peers.executor,
      digest: `<digest of ${artifact_id}>`,
    })),
    side_effects: turn.effects,
    event_log: { last_sequence: last, head: `<head ${last}>` },
    signed_at: '<time>',
    ...(ending.by === 'cancel' ? { cancel_requested_at: '<time>' } : {}),
    attestation: '<attestation>',
  };
  const message = refused || turn.summary === '' ? {} : { message: { text: turn.summary } };
  log.steps.push({ state: CORE[status] ?? 'TASK_STATE_FAILED', ...message, beside: { result } });

  const place = (sequence: number, more: Json = {}): Json => ({
    event: { turn_id: '<turn>', sequence, cursor: `<cursor ${sequence}>`, ...more },
  });
  const accepted = { effective_capabilities: effective, deadline_at: '<time>' };
  const names = { taskId: '<task>', contextId: '<context>' };
  return {
    last,
    held,
    words,
    event(sequence) {
      const step = log.steps[sequence - 1] as Step;
      const beside = place(sequence, sequence === 1 ? accepted : {});
      if ('state' in step)
        return {
          statusUpdate: { ...names, status: statusOf(step, sequence) },
          beside: { ...beside, ...step.beside },
        };
      const { artifact, ...flags } = step;
      return {
        artifactUpdate: { ...names, artifact: { ...artifact, owner: peers.executor }, ...flags },
        beside,
      };
    },
    taskAt(sequence) {
      const statuses = log.steps
        .slice(0, sequence)
        .flatMap((step, at) => ('state' in step ? [{ step, at: at + 1 }] : []));
      const { step, at } = statuses.at(-1) as (typeof statuses)[number];
      return {
        id: '<task>',
        contextId: '<context>',
        status: statusOf(step, at),
        artifacts: [...log.artifactsAt(sequence).values()].map((artifact) => ({
          ...artifact,
          owner: peers.executor,
        })),
        beside: {
          ...place(sequence, { head: `<head ${sequence}>`, ...accepted }),
          // What was recorded beside an event stays beside the Task.
          ...Object.assign({}, ...statuses.map((one) => one.step.beside)),
        },
      };
    },
  };
}

function statusOf({ state, message }: Extract<Step, { state: string }>, sequence: number): Json {
  return {
    state,
    timestamp: '<time>',
    ...(message && { message: { messageId: `<message ${sequence}>`, role: 'ROLE_AGENT', ...message } }),
  };
}

class Log {
  readonly steps: Step[] = [];
  readonly #words: readonly string[];
  #artifacts = 0;
  /** The id of the artifact of the agent's text, once there is some. */
  #text: string | undefined;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  act(act: Act): void {
    if (act.kind === 'progress') {
      const says = this.#words.filter((word) => act.words.includes(word));
      this.steps.push({ state: WORKING, message: { says } });
    } else if (act.kind === 'artifact') {
      this.steps.push({ artifact: { artifactId: this.#next(), parts: act.parts }, lastChunk: true });
    } else {
      const append = this.#text === undefined ? {} : ({ append: true } as const);
      this.#text ??= this.#next();
      this.steps.push({ artifact: { artifactId: this.#text, parts: [{ text: act.text }] }, ...append });
    }
  }

  /** The agent's text has no last chunk of its own. */
  close(): void {
    if (this.#text === undefined) return;
    const artifact = { artifactId: this.#text, parts: [{ text: '' }] };
    this.steps.push({ artifact, append: true, lastChunk: true });
  }

  /** Parts are put behind each other and never merged. */
  artifactsAt(sequence: number): Map<string, Artifact> {
    const artifacts = new Map<string, Artifact>();
    for (const step of this.steps.slice(0, sequence)) {
      if (!('artifact' in step)) continue;
      const { artifactId, parts } = step.artifact;
      const known = artifacts.get(artifactId)?.parts ?? [];
      artifacts.set(artifactId, { artifactId, parts: [...known, ...parts] });
    }
    return artifacts;
  }

  #next(): string {
    this.#artifacts += 1;
    return `<artifact ${this.#artifacts}>`;
  }
}

/** The rows of section 5 that scenarios reach. */
function outcomeOf({ ending }: Scenario, { stopReason }: Turn): { status: string; error: Json | null } {
  if (ending.by === 'refusal') return { status: 'rejected', error: { code: ending.reason } };
  if (ending.by === 'deadline') return { status: 'expired', error: { code: 'DEADLINE_EXCEEDED' } };
  if (ending.by === 'cancel') return { status: 'cancelled', error: null };
  if (stopReason === 'end_turn') return { status: 'completed', error: null };
  if (stopReason === 'refusal') return { status: 'failed', error: { code: 'REFUSED' } };
  throw new Error(`no rule for the stop reason ${stopReason}`);
}
