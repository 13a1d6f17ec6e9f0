/** RLY-11: creates that meet a relay which is killed and comes back, or one of two which does not, make one task each and none is lost. */

import { setTimeout as pause } from 'node:timers/promises';
import { Undetermined } from '../../src/harness/check.js';
import { exactly } from '../../src/harness/checkers/ledger.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, taskOf } from '../../src/harness/run/observe.js';
import { countTasks } from '../../src/harness/run/tasks.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Suite } from '../../src/harness/suite.js';
import type { CallOptions } from '../../src/harness/wire/probe.js';
import type { WireRequest } from '../../src/harness/wire/request.js';
import { type Delegating, delegating } from './delegating.js';

/** Fifty over both cases. */
const CREATES = 25;
const COORDINATORS = 2;
/** Whose answers are withheld on their links when the relay dies. */
const UNANSWERED = 3;
const ANSWER_MS = 1000;
const AGAIN_MS = 25;
const PATIENCE_MS = 20_000;

interface Create {
  part: string;
  request: WireRequest;
  /** Resolves with the id of the task that it was at last acknowledged with. */
  acknowledged: Promise<string>;
}

async function restarted(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  await spread(lab, executor, async () => {
    await pause(lab.random('relay').int(50, 400));
    lab.schedule.add('relay', 'start');
    await executor.relay?.start();
  });
}

async function oneGone(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh({ relays: 2 });
  await spread(lab, executor, async () => {});
}

/** Creates before, while and after the first relay is killed, `comesBack` being what becomes of it. */
async function spread(
  lab: CaseLab,
  executor: ExecutorSubject,
  comesBack: () => Promise<void>,
): Promise<void> {
  const random = lab.random('creates');
  const before = random.int(4, 8);
  let made = 0;
  const next = (first: CallOptions = {}) => {
    made += 1;
    return create(lab, executor, `c${made}`, made, first);
  };
  const creates = Array.from({ length: before }, () => next());
  await Promise.all(creates.map(({ acknowledged }) => acknowledged));

  const coordinators = await Promise.all(
    Array.from({ length: COORDINATORS }, (_, index) => delegating(lab, executor, `d${index + 1}`)),
  );
  const withheld = await Promise.all(
    Array.from({ length: UNANSWERED }, async (_, index) => {
      const link = await lab.link(executor, `w${index + 1}`);
      const cut = link.tap.arm({ kind: 'silence', direction: 'downstream', at: { answer: 1 } });
      creates.push(next({ via: link.address }));
      return cut;
    }),
  );
  // The executor has what these ask, and nobody has its answer.
  for (const cut of withheld) await lab.took(cut, 'an answer withheld');
  const lost = (await Promise.all(coordinators.map((one) => one.unanswered()))).filter(Boolean).length;
  lab.schedule.add('relay', 'kill');
  await Promise.all([executor.relay?.kill(), ...coordinators.map((one) => one.cut())]);
  if (lost === 0) throw new Undetermined('the fault did not take: every coordinator had its answer before');

  const back = comesBack();
  while (made < CREATES - COORDINATORS) {
    creates.push(next());
    await pause(random.int(0, 60));
  }
  await back;
  await judge(lab, executor, creates, coordinators);
}

/** By the raw probe: the same message until it is answered with a task, through one relay after the other. */
function create(
  lab: CaseLab,
  executor: ExecutorSubject,
  part: string,
  nth: number,
  first: CallOptions,
): Create {
  const request = lab.script(executor, part, [`effect ${part}`, 'say done']);
  const ways = executor.relays.map((relay) => executor.probe(executor.gate, relay));
  const acknowledge = async () => {
    const began = performance.now();
    for (let turn = nth; performance.now() - began < PATIENCE_MS; turn += 1) {
      const probe = turn === nth && first.via !== undefined ? ways[0] : ways[turn % ways.length];
      const options = { deadlineMs: ANSWER_MS, ...(turn === nth ? first : {}) };
      const answer = await probe?.create(request, options).catch(() => undefined);
      if (answer?.result !== undefined) return String(answer.result.id);
      // What a relay or a link does not carry says nothing; what the executor refuses is a violation.
      if (answer?.error !== undefined && answer.status !== 503) taskOf(answer, `the create ${part}`);
      await pause(AGAIN_MS);
    }
    return '';
  };
  const acknowledged = acknowledge();
  // Awaited with all the others; until then a refusal is nobody's.
  acknowledged.catch(() => undefined);
  return { part, request, acknowledged };
}

async function judge(
  lab: CaseLab,
  executor: ExecutorSubject,
  creates: readonly Create[],
  coordinators: readonly Delegating[],
): Promise<void> {
  const tasks = new Map<string, string>();
  for (const { part, acknowledged } of creates) {
    const id = await acknowledged;
    lab.expect(id !== '', `the create ${part} was never acknowledged, in ${PATIENCE_MS} ms`);
    tasks.set(part, id);
  }
  for (const one of coordinators) tasks.set(one.part, await one.finished());
  lab.attempt(tasks.size);
  lab.evidence('tasks.json', Object.fromEntries(tasks));
  lab.expect(
    new Set(tasks.values()).size === CREATES,
    `${new Set(tasks.values()).size} tasks were acknowledged`,
  );

  const probe = executor.probe(executor.gate, executor.relays.at(-1));
  await Promise.all(
    [...tasks].map(async ([part, id]) => {
      const { status } = resultOf(await ended(probe, id)) ?? {};
      lab.expect(status === 'completed', `the task of ${part} ended ${String(status)}`);
    }),
  );
  const total = await countTasks(executor, probe);
  lab.expect(total === CREATES, `${CREATES} requests made ${total} tasks`);
  const ledger = await executor.holds.ledger();
  lab.evidence('ledger.json', ledger);
  lab.holds(exactly(ledger, { prompts: CREATES }), 'the agents’ own ledger');
  const effects = ledger.filter(({ kind }) => kind === 'effect').length;
  lab.expect(effects === CREATES, `${effects} effects happened, not ${CREATES}`);
}

export const suite: Suite<CaseLab> = {
  criterion: 'RLY-11',
  cases: () => [
    { name: 'restarted', estimateMs: 6000, deadlineMs: 60_000, run: restarted },
    { name: 'one-gone', estimateMs: 6000, deadlineMs: 60_000, run: oneGone },
  ],
};
