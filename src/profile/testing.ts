/** An honest request and key, for the unit tests of this folder and of those above it. */
import { generateKeyPairSync } from 'node:crypto';
import type { UnsignedEnvelope } from './envelope.js';
import type { DelegationRequest } from './model.js';

export function honestRequest(more: Record<string, unknown> = {}): DelegationRequest {
  return {
    protocol_version: 1,
    request_id: 'req-1',
    nonce: '0123456789abcdef',
    issued_at: '2026-12-01T00:00:00.000Z',
    target_peer: 'oab-b',
    task: 'do it',
    capabilities: ['repo:read'],
    deadline_ms: 60_000,
    budget: { max_output_bytes: 1024 },
    delegation_depth: 0,
    ...more,
  } as DelegationRequest;
}

export function honestEnvelope(more: Partial<UnsignedEnvelope> = {}): UnsignedEnvelope {
  return {
    protocol_version: 1,
    request_id: 'req-1',
    task_id: 'task-1',
    turn_id: 'turn-1',
    status: 'completed',
    summary: 'done',
    error: null,
    executed_by: 'oab-b',
    caller: 'oab-a',
    effective_capabilities: ['repo:read'],
    request_digest: `sha256:${'a'.repeat(64)}`,
    artifacts: [],
    side_effects: [{ kind: 'boundary', evidence: 'unverified' }],
    event_log: { last_sequence: 3, head: `sha256:${'b'.repeat(64)}` },
    signed_at: '2026-12-01T00:00:01.000Z',
    ...more,
  };
}

export function keyPair() {
  return generateKeyPairSync('ed25519');
}
