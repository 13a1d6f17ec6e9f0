import assert from 'node:assert/strict';
import { activates, negotiate } from './card.js';
import { isTerminal, mayFollow } from './lifecycle.js';
import type { TaskState } from './model.js';
import { EXT, WSS_BINDING } from './names.js';

const KIB = 1024;
const limits = {
  maxTaskBytes: 65_536,
  maxDeadlineMs: 3_600_000,
  maxOutputBytes: KIB * KIB,
  maxEvents: 1000,
  maxEventBytes: 64 * KIB,
  maxFrameBytes: 4 * KIB * KIB,
};
const params = {
  maxDepth: 1,
  cursor: { serviceParameter: 'OAB-Cursor', retentionSeconds: 60 },
  idempotency: { windowSeconds: 7200 },
  heartbeatSeconds: 5,
  stopGraceMs: 1000,
  revocationSeconds: 5,
  limits,
  capabilities: ['repo:read'],
  results: { algorithm: 'ed25519', canonicalization: 'RFC8785', jwks: { keys: [] } },
};
const card = (extension: object | undefined, more: object = {}) => ({
  name: 'b',
  supportedInterfaces: [
    { url: 'https://b.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'https://b.example/old', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    { url: 'wss://b.example/ws', protocolBinding: WSS_BINDING, protocolVersion: '1.0' },
  ],
  capabilities: {
    extensions: [
      { uri: `${EXT.slice(0, -1)}2`, required: true, params },
      ...(extension === undefined ? [] : [{ uri: EXT, required: true, params, ...extension }]),
    ],
  },
  ...more,
});
const outcome = (raw: unknown, binding = 'JSONRPC') => {
  const negotiated = negotiate(raw, binding);
  return 'refused' in negotiated ? negotiated.refused : negotiated.url;
};
const withParams = (change: object) => outcome(card({ params: { ...params, ...change } }));

describe('negotiation by the card (profile section 2)', () => {
  it('finds the interface of a card that declares the profile', () => {
    assert.equal(outcome(card({})), 'https://b.example/rpc');
    assert.equal(outcome(card({}), 'WSS'), 'wss://b.example/ws');
  });

  it('sends nothing to any other', () => {
    assert.equal(outcome(card(undefined)), 'EXTENSION_ABSENT', 'another version is never a fallback');
    assert.equal(outcome(card({ uri: `${EXT}/` })), 'EXTENSION_ABSENT');
    assert.equal(outcome(card({ uri: EXT.toUpperCase() })), 'EXTENSION_ABSENT');
    assert.equal(outcome(card({}, { capabilities: {} })), 'EXTENSION_ABSENT');
    assert.equal(outcome(card({ required: false })), 'EXTENSION_NOT_REQUIRED');
    assert.equal(outcome(card({ required: undefined })), 'EXTENSION_NOT_REQUIRED');
    assert.equal(outcome(card({}), 'GRPC'), 'BINDING_ABSENT');
    assert.equal(outcome(card({}), 'HTTP+JSON'), 'BINDING_ABSENT', 'of another protocol version');
    for (const raw of [null, 'card', {}, card({}, { supportedInterfaces: [] })])
      assert.equal(outcome(raw), 'CARD_MALFORMED');
  });

  it('holds the params to their invariants', () => {
    assert.equal(withParams({}), 'https://b.example/rpc');
    // windowSeconds·1000 ≥ max(maxDeadlineMs, 60 000) + 4·skew.
    assert.equal(withParams({ idempotency: { windowSeconds: 3720 } }), 'https://b.example/rpc');
    assert.equal(withParams({ idempotency: { windowSeconds: 3719 } }), 'PARAMS_INVALID');
    const short = { ...limits, maxDeadlineMs: 1000 };
    assert.equal(withParams({ limits: short, idempotency: { windowSeconds: 180 } }), 'https://b.example/rpc');
    assert.equal(withParams({ limits: short, idempotency: { windowSeconds: 179 } }), 'PARAMS_INVALID');
    const least = 2 * (limits.maxOutputBytes + 256 * KIB) + limits.maxEventBytes;
    assert.equal(withParams({ limits: { ...limits, maxFrameBytes: least } }), 'https://b.example/rpc');
    assert.equal(withParams({ limits: { ...limits, maxFrameBytes: least - 1 } }), 'PARAMS_INVALID');
    for (const wrong of [
      { maxDepth: 2 },
      { maxDepth: 0 },
      { cursor: { serviceParameter: 'Last-Event-ID', retentionSeconds: 1 } },
      { heartbeatSeconds: 0.09 },
      { heartbeatSeconds: 15.1 },
      { limits: { ...limits, maxOutputBytes: 1.5 * KIB * KIB + 1, maxFrameBytes: 64 * KIB * KIB } },
      { limits: { ...limits, maxEventBytes: 64 * KIB - 1 } },
      { limits: { ...limits, maxEventBytes: KIB * KIB + 1, maxFrameBytes: 64 * KIB * KIB } },
      { results: { ...params.results, canonicalization: 'none' } },
      { capabilities: undefined },
    ])
      assert.equal(withParams(wrong), 'PARAMS_INVALID', JSON.stringify(wrong));
  });

  it('activates on the exact URI alone, in one header line or several', () => {
    for (const header of [EXT, ` ${EXT} `, `https://a.example/x,${EXT}`, ['https://a.example/x', EXT]])
      assert.equal(activates(header), true);
    for (const header of [
      undefined,
      '',
      [],
      `${EXT}/`,
      EXT.toUpperCase(),
      `${EXT.slice(0, -1)}2`,
      `"${EXT}"`,
    ])
      assert.equal(activates(header), false, String(header));
  });
});

describe('the lifecycle', () => {
  it('ends once, and never goes back', () => {
    const ends: TaskState[] = [
      'TASK_STATE_COMPLETED',
      'TASK_STATE_FAILED',
      'TASK_STATE_CANCELED',
      'TASK_STATE_REJECTED',
    ];
    for (const end of ends) {
      assert.ok(isTerminal(end));
      for (const next of [...ends, 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'] as const)
        assert.equal(mayFollow(end, next), false);
      assert.ok(mayFollow('TASK_STATE_SUBMITTED', end));
      assert.equal(mayFollow('TASK_STATE_WORKING', end), end !== 'TASK_STATE_REJECTED');
    }
    assert.equal(mayFollow('TASK_STATE_WORKING', 'TASK_STATE_SUBMITTED'), false);
  });
});
