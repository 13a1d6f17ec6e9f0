/** A row of the store as it is before anything was sent. */
import { honestRequest } from '../../profile/testing.js';
import type { Delegation } from '../store.js';

export function delegation(more: Partial<Delegation> = {}): Delegation {
  const requestId = more.requestId ?? 'req-1';
  return {
    requestId,
    peer: 'oab-b',
    request: JSON.stringify(honestRequest({ request_id: requestId })),
    requestDigest: `sha256:${'a'.repeat(64)}`,
    cap: ['repo:read'],
    createdAt: 1000,
    sent: false,
    cancelWanted: false,
    cursor: '0',
    sequence: 0,
    from: 0,
    gaps: false,
    ...more,
  };
}
