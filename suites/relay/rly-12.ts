/** RLY-12: the late close of a replaced tunnel does not unregister its successor, in whatever order a hundred flaps end. */
import { until } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import type { Suite } from '../../src/harness/suite.js';

const FLAPS = 100;

async function flaps(lab: CaseLab): Promise<void> {
  const bench = await lab.relayPair();
  const random = lab.random('executor-relay');
  let current = bench.tunnel();
  await current.up;
  // Those that were replaced and have not ended yet; which one ends next is drawn.
  const replaced = [];
  for (let flap = 0; flap < FLAPS; flap += 1) {
    lab.attempt();
    const next = bench.tunnel();
    await next.up;
    replaced.push(current);
    current = next;
    if (random.int(0, 1) === 1) await replaced.splice(random.int(0, replaced.length - 1), 1)[0]?.close(0);
    const status = await bench.connect('gate');
    lab.expect(status === 200, `after flap ${flap + 1} the route answers ${status}`);
  }
  for (const tunnel of replaced) await tunnel.close(0);
  const status = await bench.connect('gate');
  lab.expect(status === 200, `after the last late close the route answers ${status}`);
  await current.close(0);
  // And it is no ghost: with the last tunnel the route is gone.
  await until(async () => ((await bench.connect('gate')) === 503 ? true : undefined), {
    ms: 10_000,
    what: 'the end of the route',
    everyMs: 20,
  });
}

export const suite: Suite<CaseLab> = {
  criterion: 'RLY-12',
  cases: () => [{ name: 'flaps', estimateMs: 3000, deadlineMs: 60_000, run: flaps }],
};
