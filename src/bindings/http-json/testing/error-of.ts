/** The error of an answer, in short; it must be google.rpc.Status with A2A's ErrorInfo. */
import assert from 'node:assert/strict';
import type { Answer } from '../../testing/rig.js';

interface Status {
  code: number;
  status: string;
  message: string;
  details: { '@type': string; reason: string; domain: string; metadata?: Record<string, string> }[];
}

export function errorOf({ status, json, text }: Answer): string {
  assert.ok(json.error !== undefined, `${status}: ${text.slice(0, 200)}`);
  const { code, status: name, details } = (json.error ?? {}) as Partial<Status>;
  const [info] = details ?? [];
  assert.equal(info?.['@type'], 'type.googleapis.com/google.rpc.ErrorInfo');
  assert.equal(info?.domain, 'a2a-protocol.org');
  assert.equal(code, status);
  return `${name} ${info?.reason} ${info?.metadata?.oabReason ?? ''}`.trim();
}
