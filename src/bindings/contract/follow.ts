/** A task's log as a coordinator gathers it over any binding: live, and by pages where something is missing. */
import { type PeerConnection, PeerRefusal } from '../../coordinator/connection.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import { isTerminal } from '../../profile/lifecycle.js';
import type { DelegationRequest, Digest, EventBody } from '../../profile/model.js';
import { CURSOR_START } from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';

export interface Log {
  cursor: string;
  sequences: number[];
  head: Digest;
  ended: boolean;
}

export function newLog(taskId: string, request: DelegationRequest): Log {
  const head = firstHead(taskId, requestDigest(request));
  return { cursor: CURSOR_START, sequences: [], head, ended: false };
}

const signal = () => AbortSignal.timeout(10_000);

/** Goes on from where `log` stands until the terminal event, or until `enough` says so. */
export async function follow(
  peer: PeerConnection,
  taskId: string,
  log: Log,
  enough: (log: Log) => boolean = () => false,
): Promise<void> {
  const done = () => log.ended || enough(log);
  try {
    const from = { cursor: log.cursor, sequence: log.sequences.length };
    for await (const frame of peer.observe(taskId, { signal: signal(), from })) {
      if ('task' in frame) await pages(peer, taskId, log, frame.task.position?.sequence);
      else if ('event' in frame) take(log, frame.event, frame.position);
      if (done()) return;
    }
  } catch (error) {
    if (!(error instanceof PeerRefusal && error.reason === 'UNSUPPORTED_OPERATION')) throw error;
    await pages(peer, taskId, log);
  }
}

/** What lies behind the log's place, at the latest to `upTo`. */
export async function pages(
  peer: PeerConnection,
  taskId: string,
  log: Log,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  while (log.sequences.length < upTo) {
    const { page } = await peer.get(taskId, log.cursor, { signal: signal() });
    if (page === undefined) throw new Error('an answer without events');
    for (const { event, sequence, cursor } of page.events) take(log, event, { sequence, cursor });
    if (page.next === '') return;
  }
}

function take(log: Log, event: EventBody, { sequence, cursor }: { sequence: number; cursor: string }): void {
  if (sequence <= log.sequences.length) return;
  log.sequences.push(sequence);
  log.cursor = cursor;
  log.head = headAfter(log.head, event);
  log.ended = 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state);
}
