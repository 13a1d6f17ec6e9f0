/** A JSON-RPC answer to its result, or to what the peer's error means. */
import { PeerRefusal, PeerUnreachable } from '../../coordinator/connection.js';
import { refusalOf } from '../a2a/refusal.js';
import { peerJson } from '../unreachable.js';

const BY_CODE: Record<number, string> = {
  [-32001]: 'TASK_NOT_FOUND',
  [-32002]: 'TASK_NOT_CANCELABLE',
  [-32004]: 'UNSUPPORTED_OPERATION',
  [-32008]: 'NOT_NEGOTIATED',
  [-32009]: 'VERSION_NOT_SUPPORTED',
};

/** Throws PeerRefusal for an error of the peer, PeerUnreachable for anything that is no answer of its. */
export function readAnswer(status: number, text: string, id: number): unknown {
  if (status === 401) throw new PeerRefusal('UNAUTHENTICATED', -32603, false);
  if (status !== 200 && status !== 503) throw new PeerUnreachable(`HTTP ${status}`);
  const value = peerJson(text, `HTTP ${status} with a body`);
  const answer = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  if (typeof answer.error === 'object' && answer.error !== null)
    throw refusal(answer.error as Record<string, unknown>);
  if (status !== 200 || answer.jsonrpc !== '2.0' || answer.id !== id || answer.result === undefined) {
    throw new PeerUnreachable('an answer to nothing that was asked');
  }
  return answer.result;
}

/** What the `error` of an answer means. */
export function refusal({ code, data }: Record<string, unknown>): PeerRefusal {
  const number = typeof code === 'number' ? code : 0;
  return refusalOf(data, number, BY_CODE[number]);
}
