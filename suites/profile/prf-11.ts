/** PRF-11: the truth table of request id, nonce and digest: in sequence, at once, after the end, a restart, across peers. */
import { exactly } from '../../src/harness/checkers/ledger.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, taskOf } from '../../src/harness/run/observe.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Probe } from '../../src/harness/wire/probe.js';
import { type WireRequest, wireRequest } from '../../src/harness/wire/request.js';

/** How a second create relates to the first, and what it is. */
type Row = [
  name: string,
  second: (first: WireRequest, executor: ExecutorSubject) => WireRequest,
  expected: string,
];

const fresh = (executor: ExecutorSubject) => wireRequest(executor.peer, 'case: never\nsay x');
const ROWS: Row[] = [
  ['the same bytes', (first) => first, 'same'],
  [
    'the same request with another nonce',
    (first, executor) => ({ ...first, nonce: fresh(executor).nonce }),
    'same',
  ],
  ['the same request, issued later', (first) => ({ ...first, issued_at: new Date().toISOString() }), 'same'],
  [
    'the same request with its key spelled out',
    (first) => ({ ...first, idempotency_key: first.request_id }),
    'same',
  ],
  ['the same request at another path', (first) => ({ ...first, task_path: '/root/elsewhere' }), 'same'],
  ['the id for another task', (first) => ({ ...first, task: `${first.task}\nsay more` }), 'CONFLICT'],
  [
    'the id for another task with another nonce',
    (first, executor) => ({ ...first, deadline_ms: 59_999, nonce: fresh(executor).nonce }),
    'CONFLICT',
  ],
  [
    'the nonce for another request',
    (first, executor) => ({ ...fresh(executor), nonce: first.nonce }),
    'NONCE_REUSED',
  ],
];

async function table(
  lab: CaseLab,
  executor: ExecutorSubject,
  probe: Probe,
  first: WireRequest,
  id: string,
  when: string,
): Promise<void> {
  for (const [name, second, expected] of ROWS) {
    lab.attempt();
    const answer = await probe.create(second(first, executor));
    const got =
      answer.error?.reason ??
      (answer.result?.id === id ? 'same' : `another task, ${String(answer.result?.id)}`);
    lab.expect(got === expected, `${when}, ${name} is ${got}, not ${expected}`);
  }
}

async function sequential(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  const probe = executor.probe();
  const first = lab.script(executor, 's', ['hold go', 'say x']);
  const id = String(taskOf(await probe.create(first), 'the first create').id);
  await executor.holds.waiting(lab.scriptId('s'), 'go');
  await table(lab, executor, probe, first, id, 'while it runs');
  await executor.holds.release(lab.scriptId('s'), 'go');
  await ended(probe, id);
  await table(lab, executor, probe, first, id, 'after its end');
  if (executor.hooks.has('kill')) {
    await executor.kill();
    await executor.start();
    await table(lab, executor, probe, first, id, 'after a restart');
  }
  // Another caller's request of the same id and nonce is another request.
  const theirs = executor.probe(executor.other);
  const other = taskOf(await theirs.create(first), 'the same bytes from another caller');
  lab.expect(other.id !== id, 'two callers share one reservation');
  await ended(theirs, String(other.id));
  lab.holds(exactly(await executor.holds.ledger(), { prompts: 2, starts: 2 }), 'the agent’s own ledger');
}

/** At once: whoever the transaction lets in, the others are its duplicates or conflicts. */
async function concurrent(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  for (let round = 0; round < 5; round += 1) {
    const one = lab.script(executor, `c${round}`, ['say x']);
    const two = { ...one, task: `${one.task}\nsay other`, nonce: fresh(executor).nonce };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => probe.create(n % 2 === 0 ? one : two)),
    );
    lab.attempt(answers.length);
    const ids = new Set(answers.flatMap(({ result }) => (result === undefined ? [] : [String(result.id)])));
    const refusals = new Set(answers.flatMap(({ error }) => (error === undefined ? [] : [error.reason])));
    lab.expect(ids.size === 1, `one request id made ${ids.size} tasks`);
    lab.expect(
      [...refusals].join() === 'CONFLICT',
      `the other request is refused for ${[...refusals].join(', ') || 'nothing'}`,
    );
    await ended(probe, [...ids][0] ?? '');
  }
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-11',
  cases: () => [
    { name: 'sequential', estimateMs: 1500, deadlineMs: 40_000, run: sequential },
    { name: 'concurrent', estimateMs: 900, deadlineMs: 40_000, run: concurrent },
  ],
};
