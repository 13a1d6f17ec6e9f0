import assert from 'node:assert/strict';
import { ProfileError } from './errors.js';
import { messageFromRequest, requestFromParams } from './message.js';
import { KEY } from './names.js';
import { parseRequest, requestDigest } from './request.js';
import { honestRequest } from './testing.js';

const self = { peer: 'oab-b', maxTaskBytes: 100 };
const reasonOf = (run: () => unknown): string => {
  try {
    run();
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof ProfileError, String(error));
    return error.reason;
  }
};

describe('the request', () => {
  it('is accepted at every limit', () => {
    for (const more of [
      {},
      { idempotency_key: 'req-1' },
      { task_path: '/root/a/b' },
      { context_policy: 'none' },
      { nonce: 'n'.repeat(128) },
      { task: 'é'.repeat(50) },
      { delegation_depth: 3 },
      { budget: { max_output_bytes: 1, max_runtime_ms: 1 } },
      { capabilities: ['exec', 'net:fetch', 'strange:one', 'Repo:Read-2/x'] },
    ]) {
      assert.equal(
        reasonOf(() => parseRequest(honestRequest(more), self)),
        'accepted',
        JSON.stringify(more),
      );
    }
  });

  for (const [reason, more] of [
    ['MALFORMED', { protocol_version: 2 }],
    ['MALFORMED', { request_id: '' }],
    ['MALFORMED', { request_id: 'a b' }],
    ['MALFORMED', { nonce: 'short' }],
    ['MALFORMED', { nonce: 'n'.repeat(129) }],
    ['MALFORMED', { idempotency_key: 'another' }],
    ['MALFORMED', { issued_at: '2026-12-01T00:00:00Z' }],
    ['MALFORMED', { issued_at: '2026-12-01T00:00:00.000+01:00' }],
    ['MALFORMED', { issued_at: '2026-02-30T00:00:00.000Z' }],
    ['MALFORMED', { task: '' }],
    ['MALFORMED', { task: 'é'.repeat(51) }],
    ['MALFORMED', { task_path: '/etc/passwd' }],
    ['MALFORMED', { capabilities: [] }],
    ['MALFORMED', { capabilities: [''] }],
    ['MALFORMED', { capabilities: ['repo:read '] }],
    ['MALFORMED', { capabilities: ['x'.repeat(65)] }],
    ['MALFORMED', { capabilities: ['repo:read', 'repo:read'] }],
    ['MALFORMED', { deadline_ms: 0 }],
    ['MALFORMED', { deadline_ms: 1.5 }],
    ['MALFORMED', { delegation_depth: -1 }],
    ['MALFORMED', { delegation_depth: 0.5 }],
    ['MALFORMED', { delegation_depth: '0' }],
    ['MALFORMED', { delegation_depth: undefined }],
    ['MALFORMED', { context_policy: 'all' }],
    ['UNKNOWN_MEMBER', { env: { A: 'b' } }],
    ['UNKNOWN_MEMBER', { budget: { max_output_bytes: 1, token: 'x' } }],
    ['WRONG_TARGET', { target_peer: 'oab-c' }],
  ] as const) {
    it(`${JSON.stringify(more)} is ${reason}`, () => {
      assert.equal(
        reasonOf(() => parseRequest(honestRequest(more), self)),
        reason,
      );
    });
  }

  it('has a digest that a retry keeps and another request does not (D-1)', () => {
    const digest = requestDigest(honestRequest());
    for (const same of [
      { nonce: 'fedcba9876543210' },
      { issued_at: '2026-12-02T00:00:00.000Z' },
      { idempotency_key: 'req-1' },
      { task_path: '/root/x' },
      { context_policy: 'none' },
    ]) {
      assert.equal(requestDigest(honestRequest(same)), digest, JSON.stringify(same));
    }
    for (const other of [
      { task: 'another' },
      { deadline_ms: 1 },
      { capabilities: ['exec'] },
      { request_id: 'r' },
      { target_peer: 'oab-c' },
    ]) {
      assert.notEqual(requestDigest(honestRequest(other)), digest, JSON.stringify(other));
    }
    assert.equal(
      requestDigest(honestRequest({ capabilities: ['repo:read', 'exec'] })),
      requestDigest(honestRequest({ capabilities: ['exec', 'repo:read'] })),
    );
  });
});

describe('the A2A message of a request', () => {
  const params = (change: (params: Record<string, unknown>) => void = () => {}) => {
    const made = {
      message: structuredClone(messageFromRequest(honestRequest())),
      configuration: { returnImmediately: true },
    };
    change(made as unknown as Record<string, unknown>);
    return made;
  };
  const message = (made: Record<string, unknown>) => made.message as Record<string, unknown>;

  it('is byte-identical each time, and gives the request back', () => {
    assert.equal(
      JSON.stringify(messageFromRequest(honestRequest())),
      JSON.stringify(messageFromRequest(honestRequest())),
    );
    assert.deepEqual(requestFromParams(params(), self), {
      request: honestRequest(),
      returnImmediately: true,
    });
  });

  it('ignores core members that it does not know (A2A 5.7)', () => {
    const made = params((one) => {
      one.someday = { a: 1 };
      message(one).later = 'x';
    });
    assert.deepEqual(requestFromParams(made, self).request, honestRequest());
  });

  for (const [reason, change] of [
    [
      'UNKNOWN_MEMBER',
      (one: Record<string, unknown>) => {
        one.metadata = { a: 1 };
      },
    ],
    [
      'UNKNOWN_MEMBER',
      (one: Record<string, unknown>) => {
        (message(one).metadata as Record<string, unknown>).token = 'x';
      },
    ],
    [
      'UNKNOWN_MEMBER',
      (one: Record<string, unknown>) => {
        const metadata = JSON.parse('{"__proto__":{"token":"x"}}') as Record<string, unknown>;
        message(one).metadata = Object.defineProperties(
          metadata,
          Object.getOwnPropertyDescriptors(message(one).metadata),
        );
      },
    ],
    [
      'UNKNOWN_MEMBER',
      (one: Record<string, unknown>) => {
        message(one).parts = [{ text: 'do it', metadata: { a: 1 } }];
      },
    ],
    [
      'UNKNOWN_MEMBER',
      (one: Record<string, unknown>) => {
        ((message(one).metadata as Record<string, unknown>)[KEY.request] as Record<string, unknown>).task =
          'x';
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).role = 'ROLE_AGENT';
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).parts = [];
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).parts = [{ text: 'a' }, { text: 'b' }];
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).parts = [{ url: 'https://example.invalid' }];
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).parts = [{ text: 'a', mediaType: 'text/html' }];
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).parts = [{ text: 'a', filename: 'f' }];
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).taskId = 't';
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).contextId = 'c';
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).referenceTaskIds = ['t'];
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).messageId = 'another';
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).extensions = [];
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        message(one).metadata = {};
      },
    ],
    [
      'MALFORMED',
      (one: Record<string, unknown>) => {
        one.configuration = { taskPushNotificationConfig: { url: 'x' } };
      },
    ],
  ] as const) {
    it(`is ${reason} when ${String(change).slice(String(change).indexOf('{') + 2, -3)}`, () => {
      assert.equal(
        reasonOf(() => requestFromParams(params(change), self)),
        reason,
      );
    });
  }
});
