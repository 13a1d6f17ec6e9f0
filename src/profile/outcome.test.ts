import assert from 'node:assert/strict';
import { coreState, type Evidence, judge } from './outcome.js';

const base: Evidence = {
  dispatched: true,
  stopReason: 'end_turn',
  openCalls: false,
  noEffectProven: false,
  violated: false,
  cancelled: false,
};

describe('the outcome table (profile section 5)', () => {
  for (const [row, evidence, outcome, error] of [
    [
      '1, cancelled',
      { dispatched: false, stopReason: undefined, stopCause: 'cancel', cancelled: true },
      'cancelled',
      undefined,
    ],
    [
      '1, deadline',
      { dispatched: false, stopReason: undefined, stopCause: 'deadline' },
      'expired',
      'DEADLINE_EXCEEDED',
    ],
    ['1, agent', { dispatched: false, stopReason: undefined, error: 'AGENT_LOGIN' }, 'failed', 'AGENT_LOGIN'],
    ['1, restart', { dispatched: false, stopReason: undefined }, 'failed', 'EXECUTOR_RESTARTED'],
    ['2, open call', { openCalls: true }, 'unknown', 'EFFECT_UNKNOWN'],
    [
      '2, open call before a deadline',
      { openCalls: true, stopCause: 'deadline' },
      'unknown',
      'EFFECT_UNKNOWN',
    ],
    ['2, no stopReason', { stopReason: undefined, cancelled: true }, 'unknown', 'EFFECT_UNKNOWN'],
    ['2, ruled out', { openCalls: true, noEffectProven: true }, 'completed', undefined],
    ['3', { violated: true }, 'failed', 'READ_ONLY_VIOLATED'],
    ['3 before 4', { violated: true, stopCause: 'deadline' }, 'failed', 'READ_ONLY_VIOLATED'],
    ['4, deadline, whatever the agent says', { stopCause: 'deadline' }, 'expired', 'DEADLINE_EXCEEDED'],
    ['4, runtime', { stopCause: 'runtime', stopReason: 'cancelled' }, 'failed', 'BUDGET_EXHAUSTED'],
    ['4, output', { stopCause: 'output', stopReason: 'cancelled' }, 'failed', 'BUDGET_EXHAUSTED'],
    ['5', {}, 'completed', undefined],
    ['5 with a cancel', { cancelled: true, stopCause: 'cancel' }, 'completed', undefined],
    ['6', { cancelled: true, stopCause: 'cancel', stopReason: 'cancelled' }, 'cancelled', undefined],
    ['6 by kill', { cancelled: true, stopReason: undefined, noEffectProven: true }, 'cancelled', undefined],
    ['7, tokens', { stopReason: 'max_tokens' }, 'failed', 'BUDGET_EXHAUSTED'],
    ['7, requests', { stopReason: 'max_turn_requests' }, 'failed', 'BUDGET_EXHAUSTED'],
    ['7, refusal', { stopReason: 'refusal' }, 'failed', 'REFUSED'],
    ['7, cancelled that nobody asked for', { stopReason: 'cancelled' }, 'failed', 'AGENT_STOPPED'],
    ['8', { stopReason: undefined, noEffectProven: true, error: 'WORKER_LOST' }, 'failed', 'WORKER_LOST'],
    ['9', { stopReason: 'something_new' }, 'unknown', 'EFFECT_UNKNOWN'],
  ] as [string, Partial<Evidence>, string, string | undefined][]) {
    it(`row ${row}: ${outcome}`, () => {
      assert.deepEqual(judge({ ...base, ...evidence }), {
        outcome,
        ...(error === undefined ? {} : { error }),
      });
    });
  }

  it('maps onto core states without a new one (D-8)', () => {
    assert.deepEqual(
      (['completed', 'failed', 'cancelled', 'expired', 'unknown', 'rejected'] as const).map(coreState),
      ['COMPLETED', 'FAILED', 'CANCELED', 'FAILED', 'FAILED', 'REJECTED'].map((name) => `TASK_STATE_${name}`),
    );
  });
});
