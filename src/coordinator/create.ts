/** Getting a request accepted: the same bytes until there is an answer, never past the window, never another id. */

import type { DelegationRequest } from '../profile/model.js';
import { Backoff } from './backoff.js';
import type { CoordinatorConfig } from './config.js';
import { NotNegotiated, type PeerConnection, PeerRefusal, type RemoteTask } from './connection.js';
import type { CoordinatorParts } from './parts.js';
import type { Delegation } from './store.js';

export type Created =
  | { kind: 'accepted'; remote: RemoteTask }
  /** Nothing was made at the executor. */
  | { kind: 'refused'; reason: string }
  /** It may have been, and nothing can be said about it. */
  | { kind: 'unknown'; reason: string };

export async function create(
  config: CoordinatorConfig,
  parts: CoordinatorParts,
  connection: PeerConnection,
  delegation: Delegation,
  signal: AbortSignal,
): Promise<Created> {
  const request = JSON.parse(delegation.request) as DelegationRequest;
  const backoff = new Backoff(config.reconnect, parts);
  let { sent } = delegation;
  let lastProblem = 'UNREACHABLE';
  while (!signal.aborted) {
    let leastMs = 0;
    try {
      const { params } = await connection.describe({ signal });
      const window = params.idempotency.windowSeconds * 1000;
      // The executor refuses what is older than window − skew; by then the same request may have run and be forgotten.
      if (parts.now() > Date.parse(request.issued_at) + window - 2 * config.clockSkewMs) {
        return sent
          ? { kind: 'unknown', reason: 'WINDOW_PASSED' }
          : { kind: 'refused', reason: 'WINDOW_PASSED' };
      }
      if (!sent) {
        // Before the first byte: after a crash it is not known whether it went out.
        parts.store.update(delegation.requestId, { sent: true });
        sent = true;
      }
      return { kind: 'accepted', remote: await connection.create(request, { signal }) };
    } catch (error) {
      if (error instanceof NotNegotiated)
        return sent ? notActive(error) : { kind: 'refused', reason: 'NOT_NEGOTIATED' };
      if (error instanceof PeerRefusal && !error.transient) return refusalOf(config, delegation, error);
      if (error instanceof PeerRefusal) leastMs = error.retryAfterMs ?? 0;
      lastProblem = error instanceof PeerRefusal ? error.reason : 'UNREACHABLE';
      parts.log.info(
        { request: delegation.requestId, problem: (error as Error).message },
        'the create is tried again',
      );
      // Without a card the window is not known: the request's own deadline bounds what was never sent.
      if (!sent && parts.now() > Date.parse(request.issued_at) + request.deadline_ms) {
        return { kind: 'refused', reason: lastProblem };
      }
    }
    await backoff.wait(signal, leastMs);
  }
  return sent ? { kind: 'unknown', reason: 'INTERRUPTED' } : { kind: 'refused', reason: 'INTERRUPTED' };
}

/** The executor answered a create without the profile: whatever it does now is outside of it. */
function notActive(error: NotNegotiated): Created {
  return { kind: 'unknown', reason: `NOT_NEGOTIATED: ${error.message}` };
}

/** On a channel that somebody else terminates, a forged refusal could hide a task that runs (section 6). */
function refusalOf(config: CoordinatorConfig, { peer }: Delegation, { reason }: PeerRefusal): Created {
  const endToEnd = config.peers.find((one) => one.peer === peer)?.endToEnd === true;
  return { kind: endToEnd ? 'refused' : 'unknown', reason };
}
