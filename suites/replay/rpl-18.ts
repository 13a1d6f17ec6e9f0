/** RPL-18: a lost answer to a create is mended by sending the same bytes again; anything else is refused, unprompted. */

import { exactly } from '../../src/harness/checkers/ledger.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, taskOf } from '../../src/harness/run/observe.js';
import { countTasks } from '../../src/harness/run/tasks.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Probe } from '../../src/harness/wire/probe.js';
import { type WireRequest, wireRequest } from '../../src/harness/wire/request.js';

const LOSSES = 8;

async function lost(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  const probe = executor.probe();
  const random = lab.random('coordinator-executor', 'downstream');
  // The request has arrived when its answer does; from there on the answer is lost, all of it or its end.
  const losses = Array.from({ length: LOSSES }, (_, round) => ({
    answer: round === 0 ? Number.MAX_SAFE_INTEGER : random.int(1, 200),
    kind: random.pick(['reset', 'fin'] as const),
  }));
  const chosen = lab.sweep('lost answers', losses);
  let made = 0;
  for (const {
    index: round,
    point: { answer: withheld, kind },
  } of chosen) {
    const request = lab.script(executor, `l${round}`, ['say x']);
    const link = await lab.link(executor, `l${round}`);
    const cut = link.tap.arm({ kind, direction: 'downstream', at: { answer: withheld } });
    const answer = await probe.create(request, { via: link.address }).catch((error: Error) => error);
    await lab.took(cut, `a cut ${withheld} bytes before the end of an answer`);
    lab.attempt();
    lab.expect(answer instanceof Error, 'the answer arrived although its link was cut');
    made += 1;
    // An account that a process of its own must read is read once, in the end.
    const listed = probe.list === undefined ? made : await countTasks(executor, probe);
    lab.expect(listed === made, `${made} creates were answered, and ${listed} tasks are listed`);
    const ids = await Promise.all([probe.create(request), probe.create(request)]);
    const [first, second] = ids.map((one) => String(taskOf(one, 'the retry').id));
    lab.expect(first === second, `two retries gave two tasks, ${first} and ${second}`);
    await ended(probe, first ?? '');
    const late = String(taskOf(await probe.create(request), 'a retry after the end').id);
    lab.expect(late === first, `a retry after the end gave ${late}, not ${first}`);
  }
  const total = await countTasks(executor, probe);
  lab.expect(total === made, `${made} requests made ${total} tasks`);
  lab.holds(
    exactly(await executor.holds.ledger(), { prompts: made, starts: made }),
    'the agent’s own ledger',
  );
}

async function refused(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  const probe = executor.probe();
  const first = lab.script(executor, 'first', ['say x']);
  await ended(probe, String(taskOf(await probe.create(first), 'the first create').id));

  const conflict = { ...first, task: `${first.task}\nsay y` };
  await expectRefusal(lab, probe, conflict, 'CONFLICT');
  await expectRefusal(
    lab,
    probe,
    lab.script(executor, 'nonce', ['say x'], { nonce: first.nonce }),
    'NONCE_REUSED',
  );
  await expectRefusal(
    lab,
    probe,
    dated(executor, -(executor.settings.windowMs - executor.settings.clockSkewMs + 60_000)),
    'STALE',
  );
  await expectRefusal(lab, probe, dated(executor, executor.settings.clockSkewMs + 60_000), 'NOT_YET_VALID');
  // A retry is the same request whatever its nonce (D-1), and another caller's request is another one.
  const renonced = await probe.create({ ...first, nonce: wireRequest(executor.peer, '').nonce });
  lab.expect(
    renonced.result !== undefined,
    `a retry with a fresh nonce is answered ${renonced.text.slice(0, 200)}`,
  );
  const total = await countTasks(executor, probe);
  lab.expect(total === 1, `refused creates left ${total - 1} further tasks`);
  const ledger = await executor.holds.ledger();
  lab.evidence('ledger.json', ledger);
  lab.holds(exactly(ledger, { prompts: 1, starts: 1 }), 'the agent’s own ledger');
}

function dated(executor: ExecutorSubject, byMs: number): WireRequest {
  // The deadline is long enough that only the age can be the reason.
  return wireRequest(executor.peer, 'say nothing', {
    issued_at: new Date(Date.now() + byMs).toISOString(),
    deadline_ms: 3_600_000,
  });
}

async function expectRefusal(
  lab: CaseLab,
  probe: Probe,
  request: WireRequest,
  reason: string,
): Promise<void> {
  lab.attempt();
  const answer = await probe.create(request);
  lab.expect(
    answer.error?.code === -32602 && answer.error.reason === reason,
    `expected ${reason}, got ${answer.text.slice(0, 300)}`,
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-18',
  cases: () => [
    { name: 'answer-lost', estimateMs: 3000, deadlineMs: 40_000, run: lost },
    { name: 'refused', estimateMs: 900, deadlineMs: 30_000, run: refused },
  ],
};
