/** RPL-11: each effect happens once, through 50 concurrent identical creates, reconnects and replays. */
import { exactly } from '../../src/harness/checkers/ledger.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, tail, taskOf } from '../../src/harness/run/observe.js';
import type { Suite } from '../../src/harness/suite.js';

const CREATES = 50;
const ROUNDS = 3;

async function storm(lab: CaseLab): Promise<void> {
  // Where a connection is found dead by silence, a host that serves all of them at once must not look like one.
  const executor = await lab.fresh({ heartbeatMs: 5000 });
  const probe = executor.probe();
  for (let round = 0; round < ROUNDS; round += 1) {
    const request = lab.script(executor, `r${round}`, ['effect first', 'say x', 'effect second']);
    const answers = await Promise.all(Array.from({ length: CREATES }, () => probe.create(request)));
    lab.attempt(CREATES);
    const ids = new Set(answers.map((answer) => String(taskOf(answer, 'a concurrent create').id)));
    lab.expect(ids.size === 1, `${CREATES} identical creates made ${ids.size} tasks`);
    const [id = ''] = ids;
    const observers = Array.from({ length: 8 }, () => probe.subscribe(id));
    for (const session of lab.random('', '', round).shuffle(observers)) session.close();
    await ended(probe, id);
    await Promise.all(Array.from({ length: 8 }, () => tail(probe, id, '0', 'replay')));
  }
  const ledger = await executor.holds.ledger();
  lab.evidence('ledger.json', ledger);
  lab.holds(exactly(ledger, { prompts: ROUNDS, starts: ROUNDS }), 'the agent’s own ledger');
  const effects = ledger.filter(({ kind }) => kind === 'effect').length;
  lab.expect(effects === 2 * ROUNDS, `${effects} effects happened, not ${2 * ROUNDS}`);
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-11',
  cases: () => [{ name: 'storm', estimateMs: 1500, deadlineMs: 40_000, run: storm }],
};
