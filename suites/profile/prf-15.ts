/** PRF-15: nothing runs before it is reserved and audited; a store that fails, at admission or in mid-task, stops what it must and comes back. */

import { Violation } from '../../src/harness/check.js';
import { finished } from '../../src/harness/checkers/history.js';
import type { StoreState } from '../../src/harness/faults/store/store-fault.js';
import { until } from '../../src/harness/lab/deadline.js';
import type { LedgerEntry } from '../../src/harness/lab/ports.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, stateOf, tail, taskOf } from '../../src/harness/run/observe.js';
import { heldTask, place, release } from '../../src/harness/run/story.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json, Probe, ProbeAnswer } from '../../src/harness/wire/probe.js';
import type { WireRequest } from '../../src/harness/wire/request.js';
import { verifyResult } from '../../src/harness/wire/verify-result.js';

type Fault = Exclude<StoreState, 'ok'>;

const FAULTS: readonly Fault[] = ['full', 'readonly', 'lost', 'slow'];
/** Every write fails for as long as it lasts; a slow store takes them, later. */
const TAKES_NOTHING = new Set<Fault>(['full', 'readonly', 'lost']);
const ANSWERS_READS = new Set<Fault>(['full', 'readonly', 'slow']);
/** Section 5: an append that is not durable within 10 s stops the turn; the rest is for killing it on a busy host. */
const STOPPED_MS = 20_000;

/** What a create may get from a store that fails: the one refusal that says when to send the same bytes again. */
function isRefusal({ binding }: Probe, { error, status, retryAfter }: ProbeAnswer): boolean {
  // HTTP says it too, in words of its own.
  const framed = binding === 'OAB' || binding === 'WSS';
  const said = framed ? status === 200 : status === 503 && Number(retryAfter) > 0;
  return error?.reason === 'STORE_UNAVAILABLE' && said && (error.retryAfterMs ?? 0) > 0;
}

function starts(ledger: readonly LedgerEntry[]): number {
  return ledger.filter(({ kind }) => kind === 'start').length;
}

/** A read is answered as ever, or refused as the create is; it never says anything else. */
async function reads(lab: CaseLab, probe: Probe, fault: Fault, done: { id: string; text: string }) {
  const get = await probe.get(done.id);
  const answers: [string, ProbeAnswer][] = [['GetTask', get]];
  if (probe.list !== undefined) answers.push(['ListTasks', await probe.list()]);
  for (const [name, answer] of answers) {
    lab.expect(
      answer.result !== undefined || (!ANSWERS_READS.has(fault) && isRefusal(probe, answer)),
      () => `${name} with a store that is ${fault} is answered ${answer.status} ${answer.text.slice(0, 200)}`,
    );
  }
  if (get.result !== undefined)
    lab.expect(
      JSON.stringify(get.result) === done.text,
      `a task that had ended reads differently with a store that is ${fault}`,
    );
  const { capabilities, params } = await probe.card();
  lab.expect((capabilities ?? params) !== undefined, 'the executor does not say what it is');
}

/** The same bytes until they are let in, as a caller does that was told to come again. */
function sentAgain(probe: Probe, request: WireRequest): Promise<Json> {
  return until(
    async () => {
      const answer = await probe.create(request);
      if (!isRefusal(probe, answer)) return taskOf(answer, 'the same bytes, sent when the store was back');
      return undefined;
    },
    { ms: 5000, everyMs: 50, what: 'the same bytes to be let in when the store was back' },
  );
}

/** One create under one fault: zero starts while it is refused, one task and one prompt in the end. */
async function admittedUnder(
  lab: CaseLab,
  executor: ExecutorSubject,
  fault: Fault,
  done: { id: string; text: string },
): Promise<string> {
  const probe = executor.probe();
  const before = starts(await executor.holds.ledger());
  const request = lab.script(executor, fault, ['say x']);
  await executor.store(fault);
  lab.attempt();
  const answer = await probe.create(request);
  await reads(lab, probe, fault, done);
  // Throws where the fault did not hold until now; what was seen under it would then mean nothing.
  await executor.store('ok');
  lab.evidence(`${fault}.txt`, answer.text);

  if (answer.result !== undefined && TAKES_NOTHING.has(fault))
    throw new Violation(`a task was acknowledged although its store was ${fault}`);
  if (answer.result === undefined) {
    lab.expect(
      isRefusal(probe, answer),
      () =>
        `the create with a store that is ${fault} is answered ${answer.status} ${answer.text.slice(0, 200)}, Retry-After ${String(answer.retryAfter)}`,
    );
  }
  const id = String((await sentAgain(probe, request)).id);
  lab.expect(answer.result === undefined || answer.result.id === id, `${fault}: one request, two tasks`);
  const result = resultOf(await ended(probe, id));
  lab.expect(result?.status === 'completed', `${fault}: the task ends ${String(result?.status)}`);
  // Counted now: a process that was started too early may write that down late.
  const started = starts(await executor.holds.ledger()) - before;
  lab.expect(
    started === 1,
    `the agent was started ${started} times for one task, refused or slow while the store was ${fault}`,
  );
  const prompts = (await executor.holds.ledger(lab.scriptId(fault))).filter(({ kind }) => kind === 'prompt');
  lab.expect(prompts.length === 1, `${fault}: the agent was prompted ${prompts.length} times`);
  return id;
}

async function admission(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  lab.needs(executor, 'store', 'kill', 'start');
  const probe = executor.probe();
  const first = String(taskOf(await probe.create(lab.script(executor, 'd', ['say done'])), 'the create').id);
  const done = { id: first, text: JSON.stringify(await ended(probe, first)) };
  const acknowledged = [first];
  // One process for all of them: it stays up, and each fault finds it whole after the one before.
  for (const fault of FAULTS) acknowledged.push(await admittedUnder(lab, executor, fault, done));
  lab.holds(recorded(await executor.audit?.(), acknowledged), 'the audit');

  await executor.kill();
  await executor.start();
  for (const id of acknowledged) {
    const task = taskOf(await probe.get(id), `${id}, acknowledged before a SIGKILL`);
    lab.expect(resultOf(task)?.status === 'completed', `${id} is ${stateOf(task)} after a SIGKILL`);
  }
  lab.evidence('ledger.json', await executor.holds.ledger());
}

/** Each task that ran was admitted on record, once, and nothing else was; a subject that shows no audit is not asked. */
function recorded(audit: readonly Json[] | undefined, acknowledged: readonly string[]): string[] {
  if (audit === undefined) return [];
  const admitted = audit.filter(({ kind }) => kind === 'admitted').map(({ taskId }) => String(taskId));
  return [
    ...acknowledged
      .filter((id) => admitted.filter((one) => one === id).length !== 1)
      .map((id) => `${id} is not recorded as admitted exactly once`),
    ...admitted
      .filter((id) => !acknowledged.includes(id))
      .map((id) => `${id} is recorded as admitted, and nobody was told`),
  ];
}

/** A turn whose events cannot be recorded: it goes on with a slow store, and is stopped by every other fault. */
async function midTask(lab: CaseLab, fault: Fault): Promise<void> {
  const executor = await lab.fresh();
  lab.needs(executor, 'store');
  const probe = executor.probe();
  const more = TAKES_NOTHING.has(fault) ? ['say after', 'ignore-cancel', 'hang'] : ['say after'];
  const held = await heldTask(lab, executor, probe, `m-${fault}`, more);
  const [prompt] = (await executor.holds.ledger(held.script)).filter(({ kind }) => kind === 'prompt');
  const at = await place(probe, held.taskId);
  const observer = probe.subscribe(held.taskId);
  await observer.until((frames) => frames.length > 0);
  await executor.store(fault);
  lab.attempt();
  await release(executor, held);

  const refused = await probe.create(lab.script(executor, `n-${fault}`, ['say new']));
  lab.expect(
    isRefusal(probe, refused) || (!TAKES_NOTHING.has(fault) && refused.result !== undefined),
    () =>
      `a create while a task runs and its store is ${fault}: ${refused.status} ${refused.text.slice(0, 200)}`,
  );
  if (TAKES_NOTHING.has(fault)) {
    const cancel = await probe.cancel(held.taskId);
    lab.expect(
      isRefusal(probe, cancel),
      () =>
        `a cancel that a store that is ${fault} cannot record: ${cancel.status} ${cancel.text.slice(0, 200)}`,
    );
    await until(() => !isRunning(Number(prompt?.pid)), {
      ms: STOPPED_MS,
      everyMs: 100,
      what: `the agent to be killed, whose events a store that is ${fault} does not take`,
    });
    if (ANSWERS_READS.has(fault)) {
      const { sequence } = await place(probe, held.taskId);
      lab.expect(
        sequence === at.sequence,
        `event ${sequence} is visible, although a store that is ${fault} took nothing after ${at.sequence}`,
      );
    }
  }
  const early = fault === 'slow' ? await ended(probe, held.taskId, STOPPED_MS) : undefined;
  await executor.store('ok');
  const task = early ?? (await ended(probe, held.taskId));
  observer.close();
  await outcome(lab, executor, fault, held.taskId, task);

  const again = lab.script(executor, `a-${fault}`, ['say again']);
  const after = resultOf(await ended(probe, String((await sentAgain(probe, again)).id)));
  lab.expect(
    after?.status === 'completed',
    `after the store was ${fault} a task ends ${String(after?.status)}`,
  );
  const prompts = (await executor.holds.ledger(held.script)).filter(({ kind }) => kind === 'prompt');
  lab.expect(prompts.length === 1, `${fault}: the stopped task was prompted ${prompts.length} times`);
}

/** The outcome that a store's fault leaves, signed, over a log that holds together and has all that was durable. */
async function outcome(
  lab: CaseLab,
  executor: ExecutorSubject,
  fault: Fault,
  id: string,
  task: Json,
): Promise<void> {
  const envelope = resultOf(task) ?? {};
  lab.evidence(`mid-task-${fault}.json`, task);
  const code = (envelope.error as { code?: string } | null)?.code;
  const got = `${String(envelope.status)} ${String(code)}`;
  const wanted = TAKES_NOTHING.has(fault)
    ? ['failed STORE_LOST', 'unknown EFFECT_UNKNOWN']
    : ['completed undefined'];
  lab.expect(wanted.includes(got), `a task whose store was ${fault} ends ${got}, not ${wanted.join(' or ')}`);
  lab.expect(await verifyResult(envelope, executor.resultKeys), `${fault}: the result does not verify`);
  const seen = await tail(executor.probe(), id, '0', fault);
  lab.holds(finished(seen, envelope), `the log after the store was ${fault}`);
  const text = JSON.stringify(task.artifacts ?? []);
  lab.expect(text.includes('before'), `${fault}: what was said before is gone`);
}

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
  criterion: 'PRF-15',
  cases: () => [
    {
      name: 'admission',
      estimateMs: 5000,
      deadlineMs: 60_000,
      needs: ['store', 'kill', 'start'],
      run: admission,
    },
    {
      // At once, each on an executor of its own: the ten seconds of the profile pass for all of them together.
      name: 'mid-task',
      estimateMs: 14_000,
      deadlineMs: 90_000,
      needs: ['store'],
      run: async (lab) => void (await Promise.all(FAULTS.map((fault) => midTask(lab, fault)))),
    },
  ],
};
