/** The coordinator's side of the custom OAB protocol: one connection at a time, opened anew by whoever asks next. */
import {
  type CallOptions,
  type ObserveOptions,
  type PeerConnection,
  type PeerDescription,
  PeerUnreachable,
  type RemoteFrame,
  type RemoteTask,
} from '../../coordinator/connection.js';
import { timeLimit } from '../../coordinator/time-limit.js';
import { isTerminal } from '../../profile/lifecycle.js';
import type { DelegationRequest, Digest, EventPage } from '../../profile/model.js';
import { CURSOR_START } from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import type { DialOptions } from '../http/dial.js';
import type { ClientWire } from '../websocket/client-wire.js';
import { held, openLink } from '../websocket/link.js';
import { readOabFrame } from './client-frames.js';
import { remoteDescription, remoteItem, remoteTask } from './client-remote.js';
import { SUBPROTOCOL, type Verb } from './names.js';

export interface OabClientOptions extends DialOptions {
  /** The peer's id, which its description must name. */
  peer: string;
  /** Its identity URL: the only place that ever gets a token (OPEN-33). */
  url: string;
  /** A token for one request, with the request digest for a create; undefined when a certificate does. */
  credentials(req?: Digest): string | undefined;
  /** For one unary answer, and for the opening of a connection. */
  timeoutMs: number;
}

/** Of a peer that has not yet said what its own limit is. */
const FIRST_FRAME_BYTES = 4 * 1024 * 1024;
/** No peer is believed to need more. */
const MOST_FRAME_BYTES = 16 * 1024 * 1024;
/** Of the events that are held at a time when a log is read again. */
const PAGE_BYTES = 1024 * 1024;

export function connectOab(options: OabClientOptions): PeerConnection {
  let described: PeerDescription | undefined;

  const hold = (one: ClientWire, { params }: PeerDescription) =>
    one.hold(params.heartbeatSeconds * 1000, Math.min(params.limits.maxFrameBytes, MOST_FRAME_BYTES));

  const link = openLink({
    ...options,
    url: new URL(options.url),
    subprotocol: SUBPROTOCOL,
    read: readOabFrame,
    token: () => options.credentials(),
    maxBytes: MOST_FRAME_BYTES,
    opened(one) {
      if (described === undefined) one.limit(FIRST_FRAME_BYTES);
      else hold(one, described);
    },
  });

  const frameOf = (verb: Verb, params: unknown, token: string | undefined) => ({
    method: verb,
    params,
    ...(token === undefined ? {} : { token }),
  });

  const limited = async (verb: Verb, params: unknown, { signal }: CallOptions, req?: Digest) => {
    const timed = timeLimit(options.timeoutMs, signal);
    try {
      const one = await link.connected(timed.signal);
      const result = await one.call(frameOf(verb, params, options.credentials(req)), timed.signal);
      return { one, result };
    } finally {
      timed.end();
    }
  };

  const describe = async (call: CallOptions): Promise<PeerDescription> => {
    if (described !== undefined) return described;
    const { one, result } = await limited('describe', {}, call);
    described = remoteDescription(result, options.peer, options.url);
    hold(one, described);
    return described;
  };

  const unary = async (verb: Verb, params: unknown, call: CallOptions, req?: Digest): Promise<RemoteTask> => {
    await describe(call);
    const { one, result } = await limited(verb, params, call, req);
    return held(one, () => remoteTask(result));
  };

  async function* observe(taskId: string, { signal, from }: ObserveOptions): AsyncGenerator<RemoteFrame> {
    for await (const piece of items(taskId, from?.cursor ?? CURSOR_START, from?.sequence ?? 0, signal))
      if ('frame' in piece) yield piece.frame;
  }

  /** Events behind a cursor, without a hole that is not said, and at last whether those were all; `after` is where it stands, where that is known. */
  async function* items(taskId: string, cursor: string, after: number | undefined, signal: AbortSignal) {
    await describe({ signal });
    const one = await link.connected(signal);
    let next = after === undefined ? undefined : after + 1;
    let first = true;
    let ended = false;
    const params = { task_id: taskId, cursor };
    for await (const piece of one.stream(frameOf('events', params, options.credentials()), signal)) {
      if ('end' in piece) {
        // From behind the terminal event there is nothing, and that is complete.
        if (piece.end === 'complete' && !ended && !first)
          throw lie(one, 'a stream that is called complete without its terminal event');
        yield { whole: ended || piece.end === 'complete' };
        return;
      }
      const frame = held(one, () => remoteItem(piece.item, taskId));
      if (ended) throw lie(one, 'an item behind the terminal event');
      if ('floor' in frame) {
        const { sequence } = frame.floor;
        if (!first) throw lie(one, 'a gap in mid-stream');
        if (next !== undefined && sequence < next) throw lie(one, 'a gap that is none');
        next = sequence + 1;
      } else if ('event' in frame) {
        const { sequence } = frame.position;
        if (next !== undefined && sequence !== next)
          throw lie(one, `event ${sequence} in the place of event ${next}`);
        next = sequence + 1;
        const { event } = frame;
        ended = 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state);
      }
      first = false;
      yield { frame, bytes: piece.bytes };
    }
  }

  /** The task, and what its log has behind the cursor by now, read from the stream up to that place or up to its end. */
  const page = async (taskId: string, cursor: string, call: CallOptions): Promise<RemoteTask> => {
    const remote = await unary('get', { task_id: taskId }, call);
    const { sequence, cursor: end } = remote.position as NonNullable<RemoteTask['position']>;
    const found: EventPage = { events: [], next: '', complete: true };
    // A terminal task's stream comes to its own end; what is behind that is for the chain to judge.
    const upTo = isTerminal(remote.task.status.state) ? Number.POSITIVE_INFINITY : sequence;
    if (cursor === end) return { ...remote, page: found };
    let bytes = 0;
    for await (const piece of items(taskId, cursor, undefined, call.signal)) {
      if ('whole' in piece) {
        // What was cut short says nothing of the log, as a page that never came: it is asked for again.
        if (!piece.whole) throw new PeerUnreachable('the log was not read to its end');
        break;
      }
      const { frame } = piece;
      if ('floor' in frame) Object.assign(found, { complete: false, floor: frame.floor });
      if (!('event' in frame)) continue;
      const { event, position } = frame;
      found.events.push({ sequence: position.sequence, cursor: position.cursor, event });
      bytes += piece.bytes;
      if (position.sequence >= upTo) break;
      if (bytes < PAGE_BYTES) continue;
      found.next = position.cursor;
      break;
    }
    return { ...remote, page: found };
  };

  return {
    describe,
    create: (request: DelegationRequest, call) => unary('create', { request }, call, requestDigest(request)),
    get: (taskId, cursor, call) =>
      cursor === undefined ? unary('get', { task_id: taskId }, call) : page(taskId, cursor, call),
    observe,
    cancel: (taskId, call) => unary('cancel', { task_id: taskId }, call),
    close: link.close,
  };
}

/** A peer that breaks the protocol is not listened to any further on this connection. */
function lie(wire: ClientWire, what: string): PeerUnreachable {
  wire.drop(what);
  return new PeerUnreachable(what);
}
