/** What a peer's error means, by the ErrorInfo that A2A puts first among its details. */
import { PeerRefusal } from '../../coordinator/connection.js';

const TRANSIENT = new Set(['SATURATED', 'DRAINING', 'STORE_UNAVAILABLE']);

/** `details` is A2A's list; `byCode` is the name where that says none. */
export function refusalOf(details: unknown, code: number, byCode?: string): PeerRefusal {
  const info = Array.isArray(details)
    ? (details[0] as { reason?: unknown; metadata?: Record<string, unknown> } | null | undefined)
    : undefined;
  const named = info?.metadata?.oabReason ?? byCode ?? info?.reason;
  const reason = typeof named === 'string' && /^[A-Z_]{1,64}$/.test(named) ? named : 'UNKNOWN';
  const retry = Number(info?.metadata?.retryAfterMs);
  return new PeerRefusal(
    reason,
    code,
    TRANSIENT.has(reason),
    Number.isFinite(retry) && retry >= 0 ? retry : undefined,
  );
}
