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

/** Agents that are none: arguments of the scripted agent, and the error that the result must name. */
const BAD_AGENTS: Record<string, [string[], string]> = {
  'does-not-start': [['--exit-at-start'], 'AGENT_UNAVAILABLE'],
  'another-version': [['--protocol-version', '2'], 'AGENT_INCOMPATIBLE'],
  'wants-a-login': [['--login-required'], 'AGENT_LOGIN'],
  'floods-noise': [['--noise-at-start', '5000'], 'AGENT_PROTOCOL'],
};

/** Nothing was prompted, so it failed: by cause, and not as unknown (profile section 5, row 1). */
const badAgent = (name: string) => async (lab: CaseLab) => {
  const [agentArguments, code] = BAD_AGENTS[name] as [string[], string];
  const executor = await lab.fresh({ agentArguments });
  const probe = executor.probe();
  const id = String(taskOf(await probe.create(lab.script(executor, 'b', ['say x'])), 'the create').id);
  const envelope = resultOf(await ended(probe, id)) ?? {};
  lab.expect(envelope.status === 'failed', `the signed outcome is ${String(envelope.status)}, not failed`);
  lab.expect(
    (envelope.error as { code?: string } | null)?.code === code,
    `the error is ${JSON.stringify(envelope.error)}, not ${code}`,
  );
  lab.holds(finished(await tail(probe, id, '0', 'tail'), envelope), 'the log');
  const ledger = await executor.holds.ledger();
  lab.expect(!ledger.some(({ kind }) => kind === 'prompt'), 'the agent was prompted');
};

/** Lost, or deaf to a cancel: an unchanged workspace under a reading grant rules an effect out (rows 6 and 8). */
const WORST: Record<
  string,
  { script: string[]; status: string; code: string | undefined; cancel?: boolean }
> = {
  dies: { script: ['say a', 'die 1'], status: 'failed', code: 'WORKER_LOST' },
  'dies-by-signal': { script: ['say a', 'child', 'die SIGKILL'], status: 'failed', code: 'WORKER_LOST' },
  'ignores-cancel': {
    script: ['say a', 'ignore-cancel', 'effect deaf', 'hang'],
    status: 'cancelled',
    code: undefined,
    cancel: true,
  },
};

const worstAgent = (name: string) => async (lab: CaseLab) => {
  const { script, status, code, cancel } = WORST[name] as (typeof WORST)[string];
  const executor = await lab.executor();
  const probe = executor.probe();
  const id = String(taskOf(await probe.create(lab.script(executor, 'w', script)), 'the create').id);
  if (cancel === true) {
    await executor.holds.awaitLedger(lab.scriptId('w'), (entries) =>
      entries.some(({ kind }) => kind === 'effect'),
    );
    taskOf(await probe.cancel(id), 'CancelTask');
  }
  const envelope = resultOf(await ended(probe, id)) ?? {};
  lab.expect(envelope.status === status, `the signed outcome is ${String(envelope.status)}, not ${status}`);
  lab.expect(
    (envelope.error as { code?: string } | null)?.code === code,
    `the error is ${JSON.stringify(envelope.error)}, not ${String(code)}`,
  );
  const [prompt] = (await executor.holds.ledger(lab.scriptId('w'))).filter(({ kind }) => kind === 'prompt');
  lab.expect(
    !isRunning(Number(prompt?.pid)),
    `the agent ${String(prompt?.pid)} still runs after its task ended`,
  );
};

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // Nobody of that number.
    return false;
  }
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-12',
  cases: () => [
    ...Object.keys(OUTCOMES).flatMap((outcome) => [
      { name: `executor-${outcome}`, estimateMs: 500, deadlineMs: 30_000, run: atTheExecutor(outcome) },
      { name: `coordinator-${outcome}`, estimateMs: 900, deadlineMs: 30_000, run: atTheCoordinator(outcome) },
    ]),
    ...Object.keys(BAD_AGENTS).map((name) => ({
      name: `agent-${name}`,
      estimateMs: 700,
      deadlineMs: 30_000,
      run: badAgent(name),
    })),
    ...Object.keys(WORST).map((name) => ({
      name: `agent-${name}`,
      estimateMs: 700,
      deadlineMs: 30_000,
      run: worstAgent(name),
    })),
  ],
};
