import assert from 'node:assert/strict';
import type { UnsignedEnvelope } from '../profile/envelope.js';
import type { EventBody, Task } from '../profile/model.js';
import { KEY } from '../profile/names.js';
import { keyPair } from '../profile/testing.js';
import { PeerUnreachable, type RemoteTask } from './connection.js';
import { Bench } from './testing/bench.js';
import { frame } from './testing/fake-peer.js';

const LAST = 7;

describe('believing a result', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = new Bench();
  });
  afterEach(() => bench.close());

  /** What the executor signs, and its log beside it. */
  const signed = (bend: (envelope: UnsignedEnvelope) => UnsignedEnvelope) => () => {
    bench.peer.telling = { bend };
  };
  /** What comes in place of the Task. */
  const answered = (change: (task: Task) => Task) => () => {
    bench.peer.replace.get = (honest) => async (taskId, cursor, options) => {
      const remote: RemoteTask = await honest(taskId, cursor, options);
      if (remote.result === undefined) return remote;
      return { ...remote, task: change(structuredClone(remote.task)) };
    };
  };
  const envelopeOf = (task: Task) => task.metadata?.[KEY.result] as Record<string, unknown>;

  for (const [reason, hostile, what] of [
    ['WRONG_REQUEST', signed((e) => ({ ...e, request_id: 'req-2' })), 'of another request'],
    [
      'WRONG_REQUEST_DIGEST',
      signed((e) => ({ ...e, request_digest: `sha256:${'0'.repeat(64)}` })),
      'of a request that was altered',
    ],
    ['WRONG_TASK', signed((e) => ({ ...e, task_id: 'task-of-somebody' })), 'of another task'],
    ['WRONG_TURN', signed((e) => ({ ...e, turn_id: 'turn-2' })), 'of another turn'],
    ['WRONG_EXECUTOR', signed((e) => ({ ...e, executed_by: 'oab-c' })), 'of another executor'],
    ['WRONG_CALLER', signed((e) => ({ ...e, caller: 'oab-x' })), 'for another caller'],
    [
      'CAPABILITIES_WIDENED',
      signed((e) => ({ ...e, effective_capabilities: ['repo:read', 'exec'] })),
      'with more than was asked for',
    ],
    [
      'STATUS_MISMATCH',
      signed((e) => ({ ...e, status: 'failed' })),
      'that says another status than the Task',
    ],
    [
      'TERMINAL_MISMATCH',
      signed((e) => ({ ...e, event_log: { ...e.event_log, last_sequence: LAST - 1 } })),
      'whose log ends earlier',
    ],
    [
      'TERMINAL_MISMATCH',
      signed((e) => ({ ...e, summary: 'another' })),
      'with another summary than the event',
    ],
    ['ARTIFACTS_DIFFER', signed((e) => ({ ...e, artifacts: [] })), 'that does not list the artifact'],
    [
      'OWNER_MISMATCH',
      signed((e) => ({ ...e, artifacts: e.artifacts.map((one) => ({ ...one, owner: 'oab-a' })) })),
      'that gives the artifact to the caller',
    ],
    ['NO_RESULT', answered((task) => ({ ...task, metadata: {} })), 'that is not there'],
    [
      'SIGNATURE_INVALID',
      answered((task) => ({
        ...task,
        metadata: { [KEY.result]: { ...envelopeOf(task), summary: 'better' } },
      })),
      'that was altered on its way',
    ],
    [
      'KEY_UNKNOWN',
      () => {
        bench.resultKey = undefined;
      },
      'of a key that nobody configured',
    ],
    [
      'KEY_REVOKED',
      () => {
        bench.resultKey = { key: bench.peer.pair.publicKey, notBefore: 0, state: 'revoked' };
      },
      'of a revoked key',
    ],
    [
      'SIGNATURE_INVALID',
      () => {
        bench.resultKey = { key: keyPair().publicKey, notBefore: 0, state: 'active' };
      },
      'of another key with that id',
    ],
    [
      'ARTIFACT_DIGEST_MISMATCH',
      answered((task) => {
        const part = task.artifacts?.[0]?.parts[0];
        if (part !== undefined) part.text = 'injected';
        return task;
      }),
      'beside an artifact that was altered',
    ],
    [
      'ARTIFACTS_DIFFER',
      answered((task) => ({
        ...task,
        artifacts: [...(task.artifacts ?? []), { artifactId: 'more', parts: [{ text: 'x' }] }],
      })),
      'beside an artifact that was injected',
    ],
    [
      'MALFORMED_ENVELOPE',
      answered((task) => ({ ...task, metadata: { [KEY.result]: { ...envelopeOf(task), more: 1 } } })),
      'with a member that no version has',
    ],
  ] as [string, () => void, string][]) {
    it(`is unknown, ${reason}, for a result ${what}`, async () => {
      hostile();
      const line = await bench.delegate();
      assert.equal(line.reason, reason);
      assert.deepEqual(
        [line.outcome, line.verified, line.envelope, line.artifacts],
        ['unknown', false, null, []],
      );
      assert.equal(bench.peer.creates.length, 1);
    });
  }

  it('is unknown when the copy on the terminal event was altered, whatever digest it names', async () => {
    bench.peer.written = LAST;
    bench.peer.replace.get = (honest) => async (taskId, cursor, options) => {
      const remote = structuredClone(await honest(taskId, cursor, options));
      for (const { sequence, event } of remote.page?.events ?? []) {
        if (sequence !== LAST || !('statusUpdate' in event)) continue;
        const copy = event.statusUpdate.metadata?.[KEY.result] as { side_effects: unknown[] };
        copy.side_effects = [];
      }
      return remote;
    };
    assert.equal((await bench.delegate()).reason, 'COPIES_DIFFER');
  });

  for (const outcome of ['failed', 'cancelled', 'expired', 'unknown', 'rejected'] as const) {
    it(`passes a signed ${outcome} on as it is`, async () => {
      bench.peer.telling = { outcome };
      const line = await bench.delegate();
      assert.deepEqual([line.outcome, line.verified, line.envelope?.status], [outcome, true, outcome]);
    });
  }

  it('turns a signed result into unknown when the log that it signs is another one', async () => {
    bench.peer.telling = {
      bend: (e) => ({ ...e, event_log: { ...e.event_log, head: `sha256:${'0'.repeat(64)}` } }),
    };
    const line = await bench.delegate();
    assert.deepEqual(
      [line.outcome, line.verified, line.reason, line.observation],
      ['unknown', false, 'LOG_MISMATCH', 'contradicted'],
    );
    assert.ok(bench.peer.calls.includes('get 0'), 'the log was not read again');
  });

  /** The first stream tells all, one event of it altered. */
  const alteredLive = (at: number, alter: (event: EventBody) => void) => {
    bench.peer.replace.observe = () =>
      async function* (taskId) {
        const story = bench.peer.story(taskId);
        for (let sequence = 1; sequence <= LAST; sequence += 1) {
          const live = structuredClone(frame(story, sequence));
          if (sequence === at) alter(live.event);
          yield live;
        }
      };
  };

  it('reads the log once more when an event was altered on its way, and then believes it', async () => {
    alteredLive(4, (event) => {
      if ('artifactUpdate' in event) event.artifactUpdate.artifact.parts = [{ text: 'injected' }];
    });
    const line = await bench.delegate();
    assert.deepEqual([line.outcome, line.verified, line.observation], ['completed', true, 'complete']);
    assert.deepEqual(bench.sequences(), [1, 2, 3, 4, 5, 6, 7]);
  });

  it('reads the log once more when the terminal event itself was altered on its way', async () => {
    alteredLive(LAST, (event) => {
      if ('statusUpdate' in event) event.statusUpdate.status.timestamp = '2001-01-01T00:00:00.000Z';
    });
    const line = await bench.delegate();
    assert.deepEqual([line.outcome, line.verified, line.observation], ['completed', true, 'complete']);
    assert.deepEqual(bench.sequences(), [1, 2, 3, 4, 5, 6, 7]);
  });

  it('keeps a contradiction that a log without its terminal event does not take back', async () => {
    alteredLive(4, (event) => {
      if ('artifactUpdate' in event) event.artifactUpdate.artifact.parts = [{ text: 'injected' }];
    });
    bench.peer.replace.get = (honest) => async (taskId, cursor, options) => {
      const remote = await honest(taskId, cursor, options);
      if (remote.page === undefined) return remote;
      return { ...remote, page: { ...remote.page, events: remote.page.events.slice(0, 2), next: '' } };
    };
    const line = await bench.delegate();
    assert.deepEqual(
      [line.outcome, line.verified, line.reason, line.observation],
      ['unknown', false, 'LOG_MISMATCH', 'contradicted'],
    );
  });

  it('reads the Task once more when it was altered on its way', async () => {
    let altered = false;
    bench.peer.replace.get = (honest) => async (taskId, cursor, options) => {
      const remote = await honest(taskId, cursor, options);
      if (cursor !== undefined || altered || remote.result === undefined) return remote;
      altered = true;
      return { ...remote, task: { ...remote.task, artifacts: [] } };
    };
    const line = await bench.delegate();
    assert.deepEqual([altered, line.outcome, line.verified], [true, 'completed', true]);
  });

  it('is asked for again while the link fails, and only then', async () => {
    let fails = 3;
    bench.peer.replace.get = (honest) => async (taskId, cursor, options) => {
      if (fails > 0) {
        fails -= 1;
        throw new PeerUnreachable('reset');
      }
      return honest(taskId, cursor, options);
    };
    assert.equal((await bench.delegate()).outcome, 'completed');
  });

  it('is unknown when it never comes, and reconcile upgrades that once it does', async () => {
    bench.peer.replace.get = (honest) => async (taskId, cursor, options) => {
      if (cursor === undefined) throw new PeerUnreachable('reset');
      return honest(taskId, cursor, options);
    };
    const line = await bench.delegate();
    assert.deepEqual([line.outcome, line.reason], ['unknown', 'RESULT_UNAVAILABLE']);
    bench.peer.replace = {};
    bench.peer.written = LAST;
    bench.lines = [];
    const again = await bench.coordinator().reconcile('req-1', bench.sink, new AbortController().signal);
    assert.deepEqual([again.outcome, again.verified, again.observation], ['completed', true, 'complete']);
    assert.deepEqual(bench.lines, [again]);
    assert.equal(bench.peer.creates.length, 1);
  });
});
