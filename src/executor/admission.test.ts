import assert from 'node:assert/strict';
import { REJECTIONS } from '../profile/errors.js';
import type { Caller } from './service.js';
import { fastClock } from './testing/fast-clock.js';
import { CONFIG, callerOf, openTestExecutor, requestOf } from './testing/harness.js';
import { inProcessRunner } from './testing/in-process-runner.js';
import { assertSound } from './testing/sound.js';
import { TokenBuckets } from './token-bucket.js';

type Opened = Awaited<ReturnType<typeof openTestExecutor>>;

describe('admission', () => {
  let opened: Opened;
  const runner = inProcessRunner(() => ({}));
  const open = async (config: Partial<typeof CONFIG> = {}, clock = fastClock(1)) => {
    opened = await openTestExecutor(runner, {
      config: { limits: { ...CONFIG.limits, rejected: 100 }, ...config },
      parts: (parts) => ({ ...parts, clock }),
    });
  };
  afterEach(() => opened.close());

  it('signs each kind of rejection so that a stock library verifies it, and starts nothing', async () => {
    await open({ peers: [{ peer: 'oab-a', capabilities: ['repo:read'], maxRunning: 1 }] });
    const started = runner.started;
    const old = new Date(Date.now() - 60_000).toISOString();
    const refusals: Record<(typeof REJECTIONS)[number], [object, string[]?]> = {
      EXPIRED_AT_ADMISSION: [{ issued_at: old, deadline_ms: 1 }],
      DEPTH_EXCEEDED: [{ delegation_depth: 1 }],
      CAPABILITY_UNKNOWN: [{ capabilities: ['repo:write'] }],
      CAPABILITY_WIDENED: [{ capabilities: ['repo:read', 'exec'] }, ['repo:read']],
      AUTHORITY_EMPTY: [{ capabilities: ['exec'] }],
      BUDGET_EXCEEDS_LIMIT: [{ budget: { max_output_bytes: CONFIG.limits.outputBytes + 1 } }],
    };
    for (const reason of REJECTIONS) {
      const [more, cap] = refusals[reason];
      const { request, caller } = requestOf(more);
      const given: Caller = cap === undefined ? caller : { ...caller, cap };
      const { snapshot } = await opened.service.create(given, request);
      assert.equal(snapshot.row.state, 'TASK_STATE_REJECTED');
      const result = await assertSound(opened.journal, snapshot, opened.publicKey);
      assert.deepEqual(
        [result.status, result.error?.code, result.event_log.last_sequence, result.effective_capabilities],
        ['rejected', reason, 2, []],
      );
      const audit = opened.journal.audits(0, 1000).at(-1);
      assert.deepEqual(
        [audit?.kind, audit?.detail.reason, audit?.taskId],
        ['rejected', reason, snapshot.row.taskId],
      );
    }
    assert.equal(runner.started, started);
    assert.equal(opened.executor.running(), 0);
  });

  it('can tell the deadline of a request that names the largest number there is', async () => {
    await open();
    const { request, caller } = requestOf({ deadline_ms: Number.MAX_SAFE_INTEGER });
    const { snapshot } = await opened.service.create(caller, request);
    assert.equal(snapshot.result?.error?.code, 'BUDGET_EXCEEDS_LIMIT');
    assert.match(new Date(snapshot.row.deadlineAt).toISOString(), /^\d{4}-/);
  });

  it('knows only callers that are configured, whatever a binding says', async () => {
    await open();
    const { request } = requestOf();
    await assert.rejects(opened.service.create(callerOf(request, 'oab-x'), request), {
      reason: 'UNAUTHENTICATED',
    });
    assert.throws(() => opened.service.throttle(callerOf(request, 'oab-x')), { reason: 'UNAUTHENTICATED' });
  });

  it('admits one of fifty that arrive together, and a caller by certificate needs no digest', async () => {
    await open();
    const { request } = requestOf();
    const caller: Caller = { peer: 'oab-a', via: 'mtls', cap: ['repo:read'] };
    const made = await Promise.all(Array.from({ length: 50 }, () => opened.service.create(caller, request)));
    assert.equal(new Set(made.map(({ snapshot }) => snapshot.row.taskId)).size, 1);
    assert.equal(made.filter(({ duplicate }) => !duplicate).length, 1);
    const conflicting = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => {
        const other = requestOf({
          request_id: 'same',
          nonce: `nonce-of-number-${n}`,
          task: `task ${n}`,
        }).request;
        return opened.service.create(caller, other);
      }),
    );
    const reasons = conflicting.map((one) => (one.status === 'rejected' ? one.reason.reason : 'accepted'));
    assert.deepEqual(reasons.filter((reason) => reason === 'accepted').length, 1);
    assert.ok(reasons.every((reason) => ['accepted', 'CONFLICT', 'SATURATED'].includes(reason)));
  });

  it('records refusals one by one up to a share, then counts them, so that no caller can fill the audit', async () => {
    await open({}, fastClock(20));
    const before = opened.journal.audits(0, 10_000).length;
    const { request, caller } = requestOf();
    const refused = 1000;
    for (let n = 0; n < refused; n += 1) {
      await assert.rejects(opened.service.create({ ...caller, req: 'sha256:other' }, request), {
        reason: 'TOKEN_MISMATCH',
      });
    }
    await opened.executor.stop();
    const rows = opened.journal.audits(before, 10_000).filter(({ kind }) => kind === 'refused');
    assert.ok(rows.length < 150, `${rows.length} rows`);
    const counted = rows.reduce((sum, { detail }) => {
      const counts = detail.counts as Record<string, number> | undefined;
      return sum + (counts === undefined ? 1 : (counts['refused TOKEN_MISMATCH'] ?? 0));
    }, 0);
    assert.equal(counted, refused);
  });

  it('keeps unauthenticated refusals to one row per source and minute', async () => {
    await open();
    const before = opened.journal.audits(0, 1000).length;
    for (const source of ['10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.1']) {
      opened.service.refused({ reason: 'UNAUTHENTICATED', source });
    }
    await opened.executor.stop();
    const rows = opened.journal.audits(before, 1000).filter(({ kind }) => kind === 'refused');
    assert.deepEqual(
      rows.map(({ detail }) => detail.source),
      ['10.0.0.1', '10.0.0.2'],
    );
  });
});

describe('a token bucket', () => {
  it('lets a burst of one second through, then as time passes, and never starves a slow rate', () => {
    const buckets = new TokenBuckets(10);
    for (let n = 0; n < 10; n += 1) assert.equal(buckets.take('a', 0), 0);
    assert.equal(buckets.take('a', 0), 100);
    assert.equal(buckets.take('b', 0), 0);
    assert.equal(buckets.take('a', 100), 0);
    // A clock that is set back gives nothing away.
    assert.ok(buckets.take('a', -10_000) > 0);
    assert.ok(buckets.take('a', 100) > 0);
    const slow = new TokenBuckets(0.5);
    assert.equal(slow.take('a', 0), 0);
    assert.equal(slow.take('a', 0), 2000);
    assert.equal(slow.take('a', 2000), 0);
  });
});
