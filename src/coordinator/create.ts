/** Getting a request accepted: the same bytes until there is an answer, never past the window, never another id. */
import { DEFAULT_SKEW_MS } from '../profile/card.js';
import type { DelegationRequest } from '../profile/model.js';
import { Backoff } from './backoff.js';
import type { CoordinatorConfig } from './config.js';
import { NotNegotiated, type PeerConnection, PeerRefusal, type RemoteTask } from './connection.js';
import { INTERRUPTED } from './lines.js';
import type { CoordinatorParts } from './parts.js';
import type { Delegation } from './store.js';

export type Created =
  | { kind: 'accepted'; remote: RemoteTask }
  /** Nothing was made at the executor. */
  | { kind: 'refused'; reason: string }
  /** It may have been, and nothing can be said about it. */
  | { kind: 'unknown'; reason: string };

/** Refusals that the same bytes would have met before too, so that no earlier attempt can have made a task. */
const CONCLUSIVE = new Set([
  'MALFORMED',
  'UNKNOWN_MEMBER',
  'WRONG_TARGET',
  'TOKEN_MISMATCH',
  'CONFLICT',
  'NONCE_REUSED',
  'STALE',
  'NOT_YET_VALID',
]);
/** Transient refusals that come before anything is written. */
const WROTE_NOTHING = new Set(['SATURATED', 'DRAINING']);

export async function create(
  config: CoordinatorConfig,
  parts: CoordinatorParts,
  connection: PeerConnection,
  delegation: Delegation,
  signal: AbortSignal,
): Promise<Created> {
  const request = JSON.parse(delegation.request) as DelegationRequest;
  const backoff = new Backoff(config.reconnect, parts);
  const age = ageOf(parts, request);
  let { sent } = delegation;
  /** An earlier attempt, of a former process too, may have reached the executor. */
  let delivered = sent;
  // A card may not promise less (profile section 2), so that this long is safe before it is known.
  let window = Math.max(request.deadline_ms, 60_000) + 4 * DEFAULT_SKEW_MS;
  while (!signal.aborted) {
    let leastMs = 0;
    let problem = 'UNREACHABLE';
    try {
      const { params } = await connection.describe({ signal });
      window = params.idempotency.windowSeconds * 1000;
      if (age() > window - 2 * config.clockSkewMs) return ended(sent, 'WINDOW_PASSED');
      if (!sent) {
        if (parts.store.find(delegation.requestId)?.cancelWanted === true)
          return { kind: 'refused', reason: 'CANCELLED_BEFORE_SENDING' };
        // Before the first byte: after a crash it is not known whether it went out.
        parts.store.update(delegation.requestId, { sent: true });
        sent = true;
      }
      return { kind: 'accepted', remote: await connection.create(request, { signal }) };
    } catch (error) {
      if (error instanceof NotNegotiated)
        return sent ? notActive(connection, error, signal) : { kind: 'refused', reason: 'NOT_NEGOTIATED' };
      if (error instanceof PeerRefusal && !error.transient)
        return refusalOf(config, delegation, error, delivered);
      if (error instanceof PeerRefusal) {
        leastMs = error.retryAfterMs ?? 0;
        problem = error.reason;
      }
      delivered ||= sent && !WROTE_NOTHING.has(problem);
      parts.log.info(
        { request: delegation.requestId, problem: (error as Error).message },
        'the create is tried again',
      );
    }
    // What was never sent ends with its own deadline; what may have been delivered is asked for as long as that is safe.
    const left = (sent ? window - 2 * config.clockSkewMs : request.deadline_ms) - age();
    if (left <= 0) return ended(sent, sent ? 'WINDOW_PASSED' : problem);
    await backoff.wait(signal, Math.min(leastMs, left));
  }
  return ended(sent, INTERRUPTED);
}

/** How old the request is, in ms: a wall clock that is set back does not make it younger. */
function ageOf(parts: CoordinatorParts, { issued_at }: DelegationRequest): () => number {
  const atStart = parts.now() - Date.parse(issued_at);
  const began = parts.monotonic();
  return () => Math.max(parts.now() - Date.parse(issued_at), atStart + parts.monotonic() - began);
}

function ended(sent: boolean, reason: string): Created {
  return { kind: sent ? 'unknown' : 'refused', reason };
}

/** The executor answered a create without the profile: what it made is asked to stop, once, and never trusted. */
async function notActive(
  connection: PeerConnection,
  { taskId, message }: NotNegotiated,
  signal: AbortSignal,
): Promise<Created> {
  // Whether the cancel was heard cannot be told either, and changes nothing.
  if (taskId !== undefined) await connection.cancel(taskId, { signal }).catch(() => undefined);
  return { kind: 'unknown', reason: `NOT_NEGOTIATED: ${message}` };
}

/**
 * On a channel that somebody else terminates, a forged refusal could hide a task that runs (section 6). And a true
 * refusal of a retry says nothing about an earlier attempt where keys, policy or the executor changed in between.
 */
function refusalOf(
  config: CoordinatorConfig,
  { peer }: Delegation,
  { reason }: PeerRefusal,
  delivered: boolean,
): Created {
  const endToEnd = config.peers.find((one) => one.peer === peer)?.endToEnd === true;
  const nothingMade = endToEnd && (!delivered || CONCLUSIVE.has(reason));
  return { kind: nothingMade ? 'refused' : 'unknown', reason };
}
