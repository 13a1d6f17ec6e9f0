import assert from 'node:assert/strict';
import { openEnvelope } from '../profile/envelope.js';
import { ProfileError } from '../profile/errors.js';
import { isTerminal } from '../profile/lifecycle.js';
import type { Caller, DelegationService, TaskSnapshot } from './service.js';
import { callerOf, openTestExecutor, requestOf } from './testing/harness.js';
import { inProcessRunner } from './testing/in-process-runner.js';
import { assertSound } from './testing/sound.js';

type Opened = Awaited<ReturnType<typeof openTestExecutor>>;

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof ProfileError, String(error));
    return error.reason;
  }
}

/** The task after its terminal event. */
async function ended(service: DelegationService, caller: Caller, taskId: string): Promise<TaskSnapshot> {
  const { events } = await service.observe(caller, taskId, AbortSignal.timeout(10_000), true);
  for await (const _batch of events) {
    // Until the end.
  }
  const { snapshot } = await service.get(caller, taskId);
  assert.ok(isTerminal(snapshot.row.state), 'the task did not end in time');
  return snapshot;
}

describe('the executor', () => {
  let opened: Opened;
  afterEach(() => opened.close());
  const immediate = () =>
    inProcessRunner(({ say }) => {
      say({ type: 'text', text: 'hello' });
      return { summary: 'hello' };
    });
  const patient = () =>
    inProcessRunner(async ({ stopped }) => {
      await stopped;
      return { stopReason: 'cancelled' };
    });

  it('runs an accepted task to a signed result', async () => {
    const runner = immediate();
    opened = await openTestExecutor(runner);
    const { request, caller } = requestOf();
    const { snapshot, duplicate } = await opened.service.create(caller, request);
    assert.equal(duplicate, false);
    const { result, row, artifacts } = await ended(opened.service, caller, snapshot.row.taskId);
    assert.equal(result?.status, 'completed');
    assert.deepEqual(artifacts[0]?.parts, [{ text: 'hello' }, { text: '' }]);
    assert.deepEqual(result?.event_log, { last_sequence: row.sequence, head: row.head });
    const key = { key: opened.publicKey, notBefore: 0, state: 'active' } as const;
    assert.ok('envelope' in openEnvelope(result, () => key));
    assert.equal(opened.executor.running(), 0);
  });

  it('answers the idempotency and nonce truth table, idempotency first (D-1)', async () => {
    const runner = immediate();
    opened = await openTestExecutor(runner);
    const { service } = opened;
    const { request, caller } = requestOf();
    const { snapshot } = await service.create(caller, request);
    const again = (more: object, peer = 'oab-a') => {
      const other = { ...request, ...more };
      return service.create(callerOf(other, peer), other);
    };
    assert.equal((await again({})).snapshot.row.taskId, snapshot.row.taskId);
    assert.equal((await again({ nonce: 'another-nonce-0001' })).duplicate, true);
    // A retry that has become stale is still the same request.
    assert.equal((await again({ issued_at: '2020-01-01T00:00:00.000Z' })).duplicate, true);
    assert.equal(await reasonOf(again({ task: 'another' })), 'CONFLICT');
    assert.equal(await reasonOf(again({ task: 'another', nonce: 'another-nonce-0002' })), 'CONFLICT');
    assert.equal(await reasonOf(again({ request_id: 'other' })), 'NONCE_REUSED');
    const foreign = await again({}, 'oab-c');
    assert.equal(foreign.duplicate, false);
    await ended(service, callerOf(request, 'oab-c'), foreign.snapshot.row.taskId);
    await ended(service, caller, snapshot.row.taskId);
    assert.equal((await again({})).snapshot.row.taskId, snapshot.row.taskId);
    assert.equal(runner.prompted, 2);
  });

  it('refuses untimely, unbound and over-limit requests without a task, and audits each once', async () => {
    const runner = immediate();
    opened = await openTestExecutor(runner);
    const { service, journal } = opened;
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const create = (more: object, caller?: Partial<Caller>) => {
      const made = requestOf({ deadline_ms: 3_600_000, ...more });
      return service.create({ ...made.caller, ...caller }, made.request);
    };
    const before = journal.audits(0, 1000).length;
    assert.equal(await reasonOf(create({ issued_at: at(-7_200_000) })), 'STALE');
    assert.equal(await reasonOf(create({ issued_at: at(31_000) })), 'NOT_YET_VALID');
    assert.equal(await reasonOf(create({}, { req: 'sha256:other' })), 'TOKEN_MISMATCH');
    const { req: _req, ...unbound } = requestOf().caller;
    const made = requestOf();
    assert.equal(await reasonOf(service.create(unbound, made.request)), 'TOKEN_MISMATCH');
    const rows = journal.audits(before, 1000);
    assert.deepEqual(
      rows.map(({ kind, detail }) => `${kind} ${String(detail.reason)}`),
      ['refused STALE', 'refused NOT_YET_VALID', 'refused TOKEN_MISMATCH', 'refused TOKEN_MISMATCH'],
    );
    assert.equal((await service.list(made.caller, { limit: 10, withArtifacts: false })).total, 0);
    assert.equal(runner.started, 0);
  });

  it('makes policy refusals durable, signed and bounded (D-7)', async () => {
    opened = await openTestExecutor(immediate());
    const { service } = opened;
    const refused = async (more: object, cap?: string[]) => {
      const { request, caller } = requestOf(more);
      const { snapshot } = await service.create(cap === undefined ? caller : { ...caller, cap }, request);
      assert.equal(snapshot.row.state, 'TASK_STATE_REJECTED');
      assert.equal(snapshot.row.sequence, 2);
      assert.equal(
        (await service.create(cap === undefined ? caller : { ...caller, cap }, request)).snapshot.row.taskId,
        snapshot.row.taskId,
      );
      return snapshot.result?.error?.code;
    };
    assert.equal(await refused({ delegation_depth: 1 }), 'DEPTH_EXCEEDED');
    assert.equal(await refused({ capabilities: ['exec'] }, ['repo:read']), 'CAPABILITY_WIDENED');
    assert.equal(await refused({ deadline_ms: 3_600_001 }), 'BUDGET_EXCEEDS_LIMIT');
    // The quota is three: the next is the same reason, and no task.
    const { request, caller } = requestOf({ capabilities: ['exec'] });
    assert.equal(await reasonOf(service.create(caller, request)), 'AUTHORITY_EMPTY');
    assert.equal((await service.list(caller, { limit: 10, withArtifacts: false })).total, 3);
  });

  it('is saturated at once, per caller and in all, and gives each slot back once', async () => {
    opened = await openTestExecutor(patient());
    const { service } = opened;
    const create = async (peer: string) => {
      const { request, caller } = requestOf({}, peer);
      return { caller, taskId: (await service.create(caller, request)).snapshot.row.taskId };
    };
    const tasks = [];
    for (const peer of ['oab-a', 'oab-a', 'oab-a', 'oab-a', 'oab-c', 'oab-c']) tasks.push(await create(peer));
    assert.equal(await reasonOf(create('oab-a')), 'SATURATED');
    assert.equal(await reasonOf(create('oab-c')), 'SATURATED');
    for (const { caller, taskId } of tasks) {
      await service.cancel(caller, taskId);
      assert.equal((await ended(service, caller, taskId)).result?.status, 'cancelled');
    }
    assert.equal(opened.executor.running(), 0);
    await create('oab-a');
  });

  it('has one terminal and one truth when cancel races completion, a thousand times (OPEN-09 to OPEN-11)', async () => {
    let finish: (() => void)[] = [];
    let all = () => {};
    opened = await openTestExecutor(
      inProcessRunner(async ({ stopped }) => {
        const done = new Promise<string>((resolve) => finish.push(() => resolve('end_turn')));
        if (finish.length === 4) all();
        return { stopReason: await Promise.race([stopped.then(() => 'cancelled'), done]) };
      }),
    );
    const { service, journal } = opened;
    const outcomes = new Set<string>();
    for (let round = 0; round < 250; round += 1) {
      const prompted = new Promise<void>((resolve) => {
        all = resolve;
      });
      const group = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const { request, caller } = requestOf();
          return { caller, taskId: (await service.create(caller, request)).snapshot.row.taskId };
        }),
      );
      await prompted;
      const now = finish;
      finish = [];
      // Either side goes first, by a few turns of the event loop or by none.
      const later = async (turns: number, act: () => void) => {
        for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        act();
      };
      const race = group.flatMap(({ caller, taskId }, index) => [
        later(round % 7, () => now[index]?.()),
        later((round * 3 + index) % 5, () => void service.cancel(caller, taskId).catch(() => {})),
      ]);
      await Promise.all(race);
      for (const { caller, taskId } of group) {
        const snapshot = await ended(service, caller, taskId);
        const result = await assertSound(journal, snapshot, opened.publicKey);
        const kept = result.cancel_requested_at === undefined ? '' : ', asked to cancel';
        outcomes.add(`${result.status}${kept}`);
      }
    }
    assert.equal(opened.executor.running(), 0);
    // Each side wins some rounds, or it was no race.
    const possible = ['cancelled, asked to cancel', 'completed', 'completed, asked to cancel'];
    assert.ok(
      outcomes.size >= 2 && [...outcomes].every((one) => possible.includes(one)),
      [...outcomes].join('; '),
    );
  }).timeout(60_000);

  it('ends at its deadline, running time and output, whatever the agent answers', async () => {
    opened = await openTestExecutor(
      inProcessRunner(async ({ task, say, stopped }) => {
        if (task.prompt === 'talk') say({ type: 'text', text: 'x'.repeat(5000) });
        await stopped;
        return { stopReason: 'end_turn' };
      }),
    );
    const run = async (more: object) => {
      const { request, caller } = requestOf(more);
      const { snapshot } = await opened.service.create(caller, request);
      const { result } = await ended(opened.service, caller, snapshot.row.taskId);
      return [result?.status, result?.error?.code];
    };
    assert.deepEqual(await run({ deadline_ms: 50 }), ['expired', 'DEADLINE_EXCEEDED']);
    assert.deepEqual(await run({ budget: { max_output_bytes: 1024, max_runtime_ms: 50 } }), [
      'failed',
      'BUDGET_EXHAUSTED',
    ]);
    assert.deepEqual(await run({ task: 'talk', budget: { max_output_bytes: 1024 } }), [
      'failed',
      'BUDGET_EXHAUSTED',
    ]);
  });

  it('makes of each open task what the profile says after a crash, without a second prompt', async () => {
    const runner = patient();
    opened = await openTestExecutor(runner);
    const dispatched = requestOf();
    const first = (await opened.service.create(dispatched.caller, dispatched.request)).snapshot.row.taskId;
    await opened.journal.wake(first, 1, AbortSignal.timeout(5000));
    await opened.crash();
    await opened.executor.start();
    const { result } = (await opened.service.get(dispatched.caller, first)).snapshot;
    assert.deepEqual([result?.status, result?.error?.code], ['unknown', 'EFFECT_UNKNOWN']);
    assert.equal(
      (await opened.service.create(dispatched.caller, dispatched.request)).snapshot.row.taskId,
      first,
    );
    assert.equal(runner.prompted, 1);
  });

  it('refuses new tasks while it drains, and still answers duplicates and reads', async () => {
    opened = await openTestExecutor(immediate());
    const { request, caller } = requestOf();
    const { snapshot } = await opened.service.create(caller, request);
    await ended(opened.service, caller, snapshot.row.taskId);
    await opened.executor.drain();
    const other = requestOf();
    assert.equal(await reasonOf(opened.service.create(other.caller, other.request)), 'DRAINING');
    assert.equal((await opened.service.create(caller, request)).duplicate, true);
  });

  it('tells a foreign task from none in no way', async () => {
    opened = await openTestExecutor(immediate());
    const { service } = opened;
    const { request, caller } = requestOf();
    const { snapshot } = await service.create(caller, request);
    const other = requestOf({}, 'oab-c').caller;
    const id = snapshot.row.taskId;
    for (const [act, args] of [
      ['get', [other, id]],
      ['get', [other, id, 'c1.AAAAAAAAAAAAAAAA']],
      ['cancel', [other, id]],
      ['observe', [other, id, AbortSignal.timeout(100)]],
    ] as const) {
      assert.equal(
        await reasonOf((service[act] as (...all: unknown[]) => Promise<unknown>)(...args)),
        'TASK_NOT_FOUND',
      );
    }
    assert.equal(await reasonOf(service.get(caller, id, 'c1.AAAAAAAAAAAAAAAA')), 'CURSOR_INVALID');
  });
});
