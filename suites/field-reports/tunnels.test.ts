/** Public reports about tunnels that are replaced, or dead without a word, against the relay and the executor's end of it. */

import { Violation } from '../../src/harness/check.js';
import { until } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { list } from '../../src/harness/run/tasks.js';
import { fieldReport } from './field-report.js';

describe('tunnels', () => {
  fieldReport('OPEN-26', 'the late end of a dead tunnel leaves its successor alone', async (lab) => {
    const pair = await lab.relayPair();
    const { tap } = pair.links.executor;
    await pair.tunnel().up;
    const dead = await tap.connection(0);
    await lab.took(dead.cut({ kind: 'silence', direction: 'upstream', at: 'now' }), 'a silence');
    await pair.tunnel().up;
    lab.expect((await pair.connect('gate')) === 200, 'the successor does not have the route');
    dead.cut({ kind: 'reset', direction: 'upstream', at: 'now' });
    await dead.closed;
    // The end of the first one is heard at the relay by now or soon: the route is asked for all the while.
    for (let asked = 0; asked < 20; asked += 1) {
      const status = await pair.connect('gate');
      lab.expect(status === 200, `once the first tunnel was gone, the route answers ${status}`);
    }
  });

  /** How long a dead tunnel stood until the executor dialled another, and until a request that hung in it had an end. */
  const dead = async (lab: CaseLab, ping: { intervalMs: number; timeoutMs: number }) => {
    const executor = await lab.fresh({ ping }, { topology: 'dual-outbound' });
    const tap = executor.relay?.executorLink.tap;
    if (tap === undefined) throw new Violation('the executor has no relay');
    const tunnel = await tap.connection(0);
    await lab.took(tunnel.cut({ kind: 'silence', direction: 'upstream', at: 'now' }), 'a silence');
    const began = performance.now();
    const hung = list(executor.probe(), { deadlineMs: 15_000 }).then(
      () => 'an answer',
      () => 'an error',
    );
    const next = await tap.connection(1, 15_000);
    const noticed = performance.now() - began;
    lab.expect(next.index === 1, 'there is no second tunnel');
    const end = await hung;
    const ended = performance.now() - began;
    lab.expect(end === 'an error', `what hung in the dead tunnel got ${end}`);
    await until(
      () =>
        list(executor.probe(), { deadlineMs: 2000 }).then(
          ({ result }) => result !== undefined,
          () => false,
        ),
      { ms: 10_000, what: 'an answer through the next tunnel', everyMs: 20 },
    );
    return { noticed, ended };
  };

  fieldReport(
    'OPEN-27',
    'a dead tunnel is noticed in the configured time, and nothing hangs in it',
    async (lab) => {
      const short = await dead(lab, { intervalMs: 100, timeoutMs: 300 });
      const long = await dead(lab, { intervalMs: 100, timeoutMs: 1800 });
      lab.evidence('noticed.json', { short, long });
      // Each in its own time: later than half its timeout, and before the next longer one would have said so.
      for (const [timeoutMs, longer, { noticed, ended }] of [
        [300, 1800, short],
        [1800, 5000, long],
      ] as const)
        lab.expect(
          noticed > timeoutMs / 2 && noticed < longer && ended < longer + timeoutMs,
          `with a timeout of ${timeoutMs} ms it took ${noticed} ms to notice, and ${ended} ms to end what hung`,
        );
    },
  );
});
