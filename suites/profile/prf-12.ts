/** PRF-12: six outcomes, each reachable, each told apart, none turned into another by either side. */

import { finished } from '../../src/harness/checkers/history.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, stateOf, tail, taskOf } from '../../src/harness/run/observe.js';
import type { Suite } from '../../src/harness/suite.js';
import { verifyResult } from '../../src/harness/wire/verify-result.js';
import { jobRequest } from './prf-03.js';

interface Expected {
  script: string[];
  more?: Record<string, unknown>;
  cap?: string[];
  core: string;
  /** Exit code of the coordinator (harness contract). */
  exit: number;
  /** The coordinator is asked to delegate too, or only the executor is looked at. */
  cancel?: boolean;
}

const OUTCOMES: Record<string, Expected> = {
  completed: { script: ['say done'], core: 'TASK_STATE_COMPLETED', exit: 0 },
  failed: { script: ['say no', 'stop refusal'], core: 'TASK_STATE_FAILED', exit: 3 },
  cancelled: { script: ['say a', 'hold never'], core: 'TASK_STATE_CANCELED', exit: 3, cancel: true },
  expired: {
    script: ['say a', 'hold never'],
    more: { deadline_ms: 700 },
    core: 'TASK_STATE_FAILED',
    exit: 3,
  },
  // A stopReason that no version of the protocol has: nothing can be concluded from it.
  unknown: { script: ['say a', 'stop something_new'], core: 'TASK_STATE_FAILED', exit: 4 },
  rejected: {
    script: ['say x'],
    more: { capabilities: ['net:fetch'] },
    cap: ['net:fetch'],
    core: 'TASK_STATE_REJECTED',
    exit: 3,
  },
};

const atTheExecutor = (outcome: string) => async (lab: CaseLab) => {
  const expected = OUTCOMES[outcome] as Expected;
  const executor = await lab.executor();
  const probe = executor.probe();
  const request = lab.script(executor, 'e', expected.script, expected.more);
  const created = await probe.create(request, expected.cap === undefined ? {} : { cap: expected.cap });
  const id = String(taskOf(created, 'the create').id);
  if (expected.cancel === true) {
    await executor.holds.waiting(lab.scriptId('e'), 'never');
    taskOf(await probe.cancel(id), 'CancelTask');
  }
  const task = await ended(probe, id);
  const envelope = resultOf(task) ?? {};
  lab.evidence('task.json', task);
  lab.expect(envelope.status === outcome, `the signed outcome is ${String(envelope.status)}, not ${outcome}`);
  lab.expect(
    stateOf(task) === expected.core,
    `the core state of ${outcome} is ${stateOf(task)}, not ${expected.core}`,
  );
  lab.expect(
    (outcome === 'completed' || outcome === 'cancelled') === (envelope.error === null),
    `the error of ${outcome} is ${JSON.stringify(envelope.error)}`,
  );
  lab.expect(
    await verifyResult(envelope, executor.resultKeys),
    'the result does not verify with a stock JOSE library',
  );
  lab.holds(finished(await tail(probe, id, '0', 'tail'), envelope), 'the log');
};

const atTheCoordinator = (outcome: string) => async (lab: CaseLab) => {
  const expected = OUTCOMES[outcome] as Expected;
  const executor = await lab.executor();
  const request = lab.script(executor, 'c', expected.script, expected.more);
  const job = {
    ...lab.job(executor, executor.gate.keyFile, request),
    request: { ...jobRequest(request), deadline_ms: Number(request.deadline_ms) },
  };
  const coordinator = lab.coordinator();
  const run = coordinator.run('delegate', job);
  if (expected.cancel === true) {
    await executor.holds.waiting(lab.scriptId('c'), 'never');
    await coordinator.run('cancel', job).exit;
  }
  const result = await run.result;
  const code = await run.exit;
  lab.evidence('lines.json', run.lines);
  lab.expect(
    result?.outcome === outcome,
    `the coordinator reports ${String(result?.outcome)} (${String(result?.reason)}), not ${outcome}`,
  );
  lab.expect(
    result?.verified === true,
    `the coordinator does not verify the signed ${outcome}: ${String(result?.reason)}`,
  );
  lab.expect(
    code === expected.exit,
    `the coordinator exits ${String(code)} for ${outcome}, not ${expected.exit}`,
  );
};

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-12',
  cases: () =>
    Object.keys(OUTCOMES).flatMap((outcome) => [
      { name: `executor-${outcome}`, estimateMs: 500, deadlineMs: 30_000, run: atTheExecutor(outcome) },
      { name: `coordinator-${outcome}`, estimateMs: 900, deadlineMs: 30_000, run: atTheCoordinator(outcome) },
    ]),
};
