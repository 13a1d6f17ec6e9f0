/** A JSON-RPC answer to its result, or to what the peer's error means. */
import { PeerRefusal, PeerUnreachable } from '../../coordinator/connection.js';
import { parseStrict, StrictJsonError } from '../../profile/strict-json.js';

const TRANSIENT = new Set(['SATURATED', 'DRAINING', 'STORE_UNAVAILABLE']);
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
  let value: unknown;
  try {
    value = parseStrict(text);
  } catch (error) {
    if (error instanceof StrictJsonError)
      throw new PeerUnreachable(`HTTP ${status} with a body that is ${error.message}`);
    throw error;
  }
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
  const info = Array.isArray(data)
    ? (data[0] as { reason?: unknown; metadata?: Record<string, unknown> } | undefined)
    : undefined;
  const number = typeof code === 'number' ? code : 0;
  const named = info?.metadata?.oabReason ?? BY_CODE[number] ?? info?.reason;
  const reason = typeof named === 'string' && /^[A-Z_]{1,64}$/.test(named) ? named : 'UNKNOWN';
  const retry = Number(info?.metadata?.retryAfterMs);
  return new PeerRefusal(
    reason,
    number,
    TRANSIENT.has(reason),
    Number.isFinite(retry) && retry >= 0 ? retry : undefined,
  );
}
