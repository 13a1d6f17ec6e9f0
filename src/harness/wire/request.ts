/** Delegation requests as the harness makes them: honest by default, every member open to change. */
import { randomBytes, randomUUID } from 'node:crypto';
import { digestOf } from '../../profile/canonical.js';
import { EXT } from '../../profile/names.js';

export type WireRequest = Record<string, unknown> & {
  request_id: string;
  task: string;
  capabilities: string[];
};

export function wireRequest(executor: string, task: string, more: Record<string, unknown> = {}): WireRequest {
  return {
    protocol_version: 1,
    request_id: `req-${randomUUID()}`,
    nonce: randomBytes(16).toString('hex'),
    issued_at: new Date().toISOString(),
    target_peer: executor,
    task,
    capabilities: ['repo:read'],
    deadline_ms: 60_000,
    budget: { max_output_bytes: 256 * 1024 },
    delegation_depth: 0,
    context_policy: 'none',
    ...more,
  };
}

/** The request digest of section 3, written out here again so that a slip in the product's own shows. */
export function wireDigest(request: WireRequest): string {
  const identity: Record<string, unknown> = { ...request, context_policy: 'none' };
  for (const member of ['nonce', 'issued_at', 'idempotency_key', 'task_path']) delete identity[member];
  if (Array.isArray(request.capabilities)) identity.capabilities = [...request.capabilities].sort();
  return digestOf(identity);
}

/** The A2A message of section 3. */
export function wireMessage(request: WireRequest): Record<string, unknown> {
  const { task, ...rest } = request;
  return {
    messageId: request.request_id,
    role: 'ROLE_USER',
    parts: [{ text: task }],
    extensions: [EXT],
    metadata: { [`${EXT}/request`]: rest },
  };
}

/** The request that a message carries, when it is one at all. */
export function requestIn(message: Record<string, unknown>): WireRequest | undefined {
  const metadata = message.metadata as Record<string, unknown> | undefined;
  const request = metadata?.[`${EXT}/request`];
  const [part] = Array.isArray(message.parts) ? (message.parts as { text?: unknown }[]) : [];
  if (typeof request !== 'object' || request === null || typeof part?.text !== 'string') return undefined;
  return { ...request, task: part.text } as WireRequest;
}
