/** Public reports about timers of the wrong kind: a whole request's that ends a stream, and an idle hop's that ends a quiet one. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, taskOf } from '../../src/harness/run/observe.js';
import { fieldReport } from './field-report.js';
import { type IdleHop, openIdleHop } from './idle-hop.js';

/** A hop's patience: a minute and a heartbeat of fifteen seconds, both far faster here. */
const IDLE_MS = 1200;
const HEARTBEAT_MS = 200;
/** What a coordinator waits for one answer: the streams below are open for longer than that. */
const ANSWER_MS = 2000;

/** Resolves when a connection on which nothing is said has been ended by the hop. */
async function idles({ address: { port, host } }: IdleHop): Promise<void> {
  const quiet = connect(port, host);
  quiet.on('error', () => {}).resume();
  await once(quiet, 'close');
}

for (const binding of ['JSONRPC', 'HTTP+JSON', 'WSS', 'OAB'] as const) {
  const cell = { binding, topology: 'dual-outbound' } as const;

  fieldReport(
    'OPEN-25',
    `${binding}: a quiet stream outlives the hops on both sides of a relay, and every timer of an answer`,
    async (lab) => {
      const executor = await lab.fresh({ heartbeatMs: HEARTBEAT_MS });
      const { relay } = executor;
      assert.ok(relay !== undefined);
      const hops = await Promise.all([idleHop(lab, relay.address()), idleHop(lab, relay.address())]);
      const [near, far] = hops;
      // The executor dials again, and comes over the hop.
      const { tap } = relay.executorLink;
      tap.redirect(far.address);
      const tunnel = await tap.connection(0);
      await lab.took(
        tunnel.cut({ kind: 'reset', direction: 'upstream', at: 'now' }),
        'a reset of the tunnel',
      );
      await tap.connection(1);
      await until(
        async () =>
          (await executor
            .probe()
            .card()
            .catch(() => undefined)) !== undefined,
        { ms: 10_000, what: 'a way to the executor', everyMs: 20 },
      );

      const script = ['say one.', 'hold a', 'say two.', 'hold b', 'say three.', 'hold c', 'say end.'];
      const request = lab.script(executor, 's', script);
      const job = lab.job(executor, executor.gate.keyFile, request, near.address);
      const run = lab.coordinator().run('delegate', { ...job, timeout: `${ANSWER_MS}ms` });
      await run.line('event');
      const seen = (text: string) =>
        until(() => run.lines.some((line) => JSON.stringify(line).includes(text)), {
          ms: 10_000,
          what: text,
          everyMs: 10,
        });
      await seen('one.');
      const [opened, came] = [near.opened(), far.opened()];
      for (const [hold, next] of [
        ['a', 'two.'],
        ['b', 'three.'],
        ['c', 'end.'],
      ] as const) {
        await Promise.all([idles(near), idles(far)]);
        if (hold === 'c') {
          // Nothing was dialled again through all of it, but for what idled on purpose. A coordinator's spare connection may idle too.
          assert.deepEqual([near.opened() - opened, far.opened() - came, far.idled()], [3, 3, 3]);
        }
        await executor.holds.release(lab.scriptId('s'), hold);
        await seen(next);
      }
      assert.equal((await run.result)?.outcome, 'completed', run.stderr());
    },
    40_000,
    cell,
  );

  fieldReport(
    'OPEN-25',
    `${binding}: heartbeats keep a stream and not its task: the deadline comes all the same`,
    async (lab) => {
      const executor = await lab.fresh({ heartbeatMs: 100 }, { topology: 'direct' });
      const request = lab.script(executor, 'd', ['say waits', 'hold never'], { deadline_ms: 1500 });
      const probe = executor.probe();
      const id = String(taskOf(await probe.create(request), 'the create').id);
      const session = probe.subscribe(id);
      const task = await ended(probe, id);
      await session.ended;
      assert.ok(session.heartbeats() > 3, `${session.heartbeats()} heartbeats`);
      assert.equal(resultOf(task)?.status, 'expired');
    },
    30_000,
    cell,
  );
}

async function idleHop(lab: CaseLab, to: { host: string; port: number }): Promise<IdleHop> {
  const hop = await openIdleHop(to, IDLE_MS);
  lab.lab.onClose('an idle hop', hop.close);
  return hop;
}
