/** RLY-14: no executor gets another's route, no coordinator one that it is not granted, and nothing is told apart by asking. */
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import type { Suite } from '../../src/harness/suite.js';

const ATTEMPTS = 100;

async function coordinators(lab: CaseLab): Promise<void> {
  const bench = await lab.relayPair();
  await bench.tunnel().up;
  lab.expect((await bench.connect('gate')) === 200, 'the granted coordinator does not get through');
  const random = lab.random('coordinator-relay');
  const routes = [
    bench.route,
    'oab-c.lab:443',
    'nowhere.lab:443',
    'oab-b.lab:8443',
    'OAB-B.lab:443',
    '127.0.0.1:22',
  ];
  const answers = new Set<string>();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    lab.attempt();
    const route = random.pick(routes);
    const text = await bench.say('gate-other', route);
    lab.expect(
      /^HTTP\/1\.1 403 /.test(text),
      `gate-other asks for ${route} and is answered ${text.slice(0, 60)}`,
    );
    answers.add(text);
  }
  lab.expect(
    answers.size === 1,
    `an unknown and an ungranted route are told apart: ${[...answers].join(' | ')}`,
  );
  lab.expect(
    bench.accepted() === 1,
    `${bench.accepted()} connections reached the executor, not the granted one alone`,
  );
}

async function executors(lab: CaseLab): Promise<void> {
  const bench = await lab.relayPair();
  await bench.tunnel().up;
  const random = lab.random('executor-relay');
  for (let attempt = 0; attempt < ATTEMPTS / 4; attempt += 1) {
    lab.attempt();
    const who = random.pick(['oab-c', 'gate', 'nobody'] as const);
    const status = await bench.register(who, bench.route);
    lab.expect(
      status === (who === 'oab-c' ? 403 : 401),
      `${who} registers ${bench.route} and is answered ${status}`,
    );
  }
  // The rightful one was never disturbed.
  lab.expect((await bench.connect('gate')) === 200, 'the route does not lead to its executor any more');
}

export const suite: Suite<CaseLab> = {
  criterion: 'RLY-14',
  cases: () => [
    { name: 'coordinators', estimateMs: 2000, deadlineMs: 60_000, run: coordinators },
    { name: 'executors', estimateMs: 1500, deadlineMs: 60_000, run: executors },
  ],
};
