/** What passed a link, read once more from the tap's own recording: whoever sat behind it, a coordinator included. */
import type { Canaries } from '../../checkers/canaries.js';
import { type Report, reading } from '../../checkers/finding.js';
import { streamOrder } from '../../checkers/stream-order.js';
import type { SubjectHistory } from '../../checkers/subject-history.js';
import { followHttpBodies } from '../../lab/http-body.js';
import type { Link, TapConnection } from '../../lab/ports.js';
import { websocketMessages } from '../../lab/websocket-messages.js';
import { fromOabItem, fromOabTask } from '../../wire/oab-json.js';
import type { Json } from '../../wire/probe.js';
import { SseReader } from '../../wire/sse.js';
import { frameOf } from '../../wire/stream-session.js';

const BEARER = /^authorization: *bearer +[\w-]+\.([\w-]+)\./gim;
const TOKEN = /"(?:token":"|Authorization":"Bearer )[\w-]+\.([\w-]+)\./g;

/** The first byte of a TLS connection (RFC 8446 section 5.1). */
const TLS_HANDSHAKE = 0x16;

/** Members of which a stream's item has one. */
const ITEMS = ['event', 'floor', 'task', 'statusUpdate', 'artifactUpdate'];

/** TLS whose secrets nobody logged gives no plain text: only marks are looked for in it. */
export function readLink(
  link: Link,
  history: SubjectHistory,
  report: Report,
  canaries: Canaries,
  executor: string,
): void {
  for (const connection of link.tap.connections) {
    const where = `link ${link.name}, connection ${connection.index}`;
    const sent = connection.plain('upstream');
    const spoken = websocketMessages(sent).map(({ text }) => text);
    const callers = principals([sent.toString('latin1'), ...spoken].join('\n'), executor);
    const received = connection.plain('downstream');
    const read = spoken.length > 0 ? readMessages : readBodies;
    // Over TLS a caller may be known by its certificate, which is not looked for.
    const unknown = callers.length === 0 && connection.recorded('upstream')[0] === TLS_HANDSHAKE;
    const known = callers.length === 0 ? ['nobody'] : callers;
    if (!unknown) canaries.received(known, where, received.toString('utf8'), report);
    if (isWhole(connection)) reading(report, where, () => read(received, where, history, report));
  }
}

/** A recording with a gap would show events as missing that were only not kept. */
function isWhole({ wire, received }: TapConnection): boolean {
  const kept = wire.reduce(
    (sum, { direction, bytes }) => sum + (direction === 'downstream' ? (bytes?.length ?? 0) : 0),
    0,
  );
  return kept === received.downstream;
}

/** Whom the tokens of a connection name; whether they are valid is for the subject to say. */
function principals(sent: string, executor: string): string[] {
  const found = new Set<string>();
  for (const [, claims = ''] of [...sent.matchAll(BEARER), ...sent.matchAll(TOKEN)]) {
    try {
      const { sub, aud } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as Json;
      if (aud === executor) found.add(String(sub));
    } catch {
      // No token: nobody.
    }
  }
  return [...found];
}

/** Tasks, and the items of the streams, each known by the id of its request: OAB's, or A2A's as they are. */
function readMessages(bytes: Buffer, where: string, history: SubjectHistory, report: Report): void {
  const streams = new Map<unknown, ReturnType<typeof streamOrder>>();
  for (const { text } of websocketMessages(bytes)) {
    const { id, result } = (parsed(text) ?? {}) as { id?: unknown; result?: Json };
    if (typeof result !== 'object' || result === null) continue;
    const session = `${where}, answer to ${String(id)}`;
    if ('task_id' in result) {
      history.task(session, fromOabTask(result));
      continue;
    }
    if (typeof result.id === 'string' && typeof result.status === 'object') {
      history.task(session, result);
      history.page(session, result, '');
      continue;
    }
    // A list, a card: nothing of one task.
    if (!ITEMS.some((name) => name in result)) continue;
    let take = streams.get(id);
    if (take === undefined) {
      take = streamOrder(history, report, session);
      streams.set(id, take);
    }
    take(frameOf(0, fromOabItem(result)));
  }
}

function readBodies(bytes: Buffer, where: string, history: SubjectHistory, report: Report): void {
  let body = 0;
  let take: ReturnType<typeof streamOrder> | undefined;
  let reader = new SseReader();
  let whole: Buffer[] = [];
  const endJson = () => {
    const json = parsed(Buffer.concat(whole).toString('utf8'));
    whole = [];
    const result = (json?.result ?? json) as Json | undefined;
    const task = (result?.task ?? result) as Json | undefined;
    if (typeof task?.id !== 'string' || typeof task.status !== 'object') return;
    const session = `${where}, answer ${body}`;
    history.task(session, task);
    // The cursor stood in the request, which is not looked for: within itself the page has no hole.
    history.page(session, task, '');
  };
  for (const { bytes: piece, first, contentType } of followHttpBodies()(bytes)) {
    if (first) {
      endJson();
      body += 1;
      take = contentType.startsWith('text/event-stream')
        ? streamOrder(history, report, `${where}, answer ${body}`)
        : undefined;
      reader = new SseReader();
    }
    if (take === undefined) whole.push(piece);
    else
      for (const { data } of reader.push(piece)) {
        const item = parsed(data);
        const json = (item?.result ?? item) as Json | undefined;
        if (typeof json === 'object' && json !== null) take(frameOf(0, json));
      }
  }
  endJson();
}

function parsed(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Json) : undefined;
  } catch {
    // Cut, or no JSON at all.
    return undefined;
  }
}
