/** The cuts of RPL-03 again at event boundaries, by Toxiproxy and hold points: no result rests on our own tap alone. */

import { Undetermined } from '../../src/harness/check.js';
import { finished, ordered } from '../../src/harness/checkers/history.js';
import type { InjectorProxy } from '../../src/harness/faults/injector.js';
import { within } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, lastOf, resultOf, resume, seenOf, tail, taskOf } from '../../src/harness/run/observe.js';

const HOLDS = ['h1', 'h2', 'h3', 'h4'] as const;

/** Each takes effect with the next data and gives back what lifts it. */
const STRIKES: Record<string, (proxy: InjectorProxy) => Promise<() => Promise<void>>> = {
  async down(proxy) {
    await proxy.enable(false);
    return () => proxy.enable(true);
  },
  reset_peer: (proxy) => toxic(proxy, 'reset_peer', { timeout: 0 }),
  black_hole: (proxy) => toxic(proxy, 'timeout', { timeout: 0 }),
  limit_data: (proxy) => toxic(proxy, 'limit_data', { bytes: 40 }),
};

async function toxic(
  proxy: InjectorProxy,
  type: 'reset_peer' | 'timeout' | 'limit_data',
  attributes: Record<string, number>,
) {
  const placed = await proxy.addToxic({ type, attributes });
  const { toxics } = await proxy.state();
  if (!toxics.includes(placed.name)) throw new Undetermined(`the injector does not show the toxic ${type}`);
  return () => placed.remove();
}

export async function toxiproxyBoundaries(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const script = [
    'say before',
    ...HOLDS.flatMap((hold) => [`hold ${hold}`, `say after ${hold}`, `tool read ${hold}`]),
  ];
  const id = String(taskOf(await probe.create(lab.script(executor, 'x', script)), 'the create').id);
  const random = lab.random('coordinator-executor');
  const observers = [];
  for (const name of Object.keys(STRIKES)) {
    const link = await lab.link(executor, name);
    const proxy = await link.proxy();
    observers.push({
      name,
      link,
      proxy,
      hold: random.pick(HOLDS),
      session: probe.subscribe(id, { via: link.address }),
      lift: async () => {},
    });
  }
  await Promise.all(observers.map(({ session }) => session.until((frames) => frames.length > 0)));
  lab.evidence(
    'schedule.json',
    observers.map(({ name, hold }) => ({ name, hold })),
  );

  for (const hold of HOLDS) {
    await executor.holds.waiting(lab.scriptId('x'), hold);
    const struck = observers.filter((one) => one.hold === hold);
    for (const one of struck) one.lift = await (STRIKES[one.name] as (typeof STRIKES)[string])(one.proxy);
    await executor.holds.release(lab.scriptId('x'), hold);
  }
  const task = await ended(probe, id);
  for (const { name, session, lift, link } of observers) {
    lab.attempt();
    // Removing a black hole closes the connection; the other three have closed it by themselves.
    if (name === 'black_hole') await lift();
    await within(session.ended, 10_000, `the connection of ${name} to end`).catch((error: Error) => {
      throw new Undetermined(error.message);
    });
    if (name !== 'black_hole') await lift();
    const live = seenOf(session, name);
    lab.holds(ordered(live), `${name}, before the fault`);
    const first = session.frames[0]?.sequence ?? 0;
    const start = lastOf(live, { sequence: first, cursor: session.frames[0]?.cursor ?? '0' });
    const before = (await tail(probe, id, '0', 'before')).filter(({ sequence }) => sequence <= first);
    const seen = [...before, ...live, ...(await resume(probe, id, start, name, { via: link.address }))];
    lab.holds(finished(seen, resultOf(task) ?? {}), `${name}: the union after the resume`);
    lab.expect(
      new Set(seen.map(({ sequence }) => sequence)).size === seen.length,
      `${name}: an event came twice`,
    );
  }
}
