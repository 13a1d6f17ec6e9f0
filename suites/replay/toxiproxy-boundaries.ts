/** The cuts of RPL-03 again at event boundaries, by Toxiproxy and hold points: no result rests on our own tap alone. */

import { Undetermined } from '../../src/harness/check.js';
import { finished, ordered } from '../../src/harness/checkers/history.js';
import type { InjectorProxy } from '../../src/harness/faults/injector.js';
import { within } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import {
  ended,
  isTerminalFrame,
  lastOf,
  resultOf,
  resume,
  seenOf,
  tail,
  taskOf,
} from '../../src/harness/run/observe.js';

const HOLDS = ['h1', 'h2', 'h3', 'h4'] as const;

/** What lifts a fault again. */
type Lift = () => Promise<void>;

/** Called before the observer connects; the result strikes, with effect on the next data. */
const FAULTS: Record<string, (proxy: InjectorProxy) => Promise<() => Promise<Lift>>> = {
  down: async (proxy) => async () => {
    await proxy.enable(false);
    return () => proxy.enable(true);
  },
  // Put on a live connection it would end it by FIN: it has to be there, asleep, when the connection is made.
  async reset_peer(proxy) {
    const placed = await toxic(proxy, 'reset_peer', { timeout: 0 }, 0);
    return async () => {
      await placed.update({ toxicity: 1 });
      return () => placed.remove();
    };
  },
  black_hole: async (proxy) => async () => {
    const placed = await toxic(proxy, 'timeout', { timeout: 0 });
    return () => placed.remove();
  },
  limit_data: async (proxy) => async () => {
    const placed = await toxic(proxy, 'limit_data', { bytes: 40 });
    return () => placed.remove();
  },
};

async function toxic(
  proxy: InjectorProxy,
  type: 'reset_peer' | 'timeout' | 'limit_data',
  attributes: Record<string, number>,
  toxicity = 1,
) {
  const placed = await proxy.addToxic({ type, attributes, toxicity });
  const { toxics } = await proxy.state();
  if (!toxics.includes(placed.name)) throw new Undetermined(`the injector does not show the toxic ${type}`);
  return placed;
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
  const points = Object.keys(FAULTS).map((name) => ({ name, hold: random.pick(HOLDS) }));
  const observers = [];
  for (const {
    point: { name, hold },
  } of lab.sweep('faults', points)) {
    const prepare = FAULTS[name] as (typeof FAULTS)[string];
    const link = await lab.link(executor, name);
    const strike = await prepare(await link.proxy());
    observers.push({
      name,
      link,
      strike,
      hold,
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
    for (const one of struck) one.lift = await one.strike();
    await executor.holds.release(lab.scriptId('x'), hold);
  }
  const task = await ended(probe, id);
  for (const { name, session, lift, link } of observers) {
    lab.attempt();
    // Removing a black hole closes the connection; the other three have closed it by themselves.
    if (name === 'black_hole') await lift();
    const end = await within(session.ended, 10_000, `the connection of ${name} to end`).catch(
      (error: Error) => {
        throw new Undetermined(error.message);
      },
    );
    // An observer that had its terminal event was never cut, and a reset that came as something else was none.
    if (session.frames.some(isTerminalFrame) || (name === 'reset_peer' && end !== 'reset')) {
      throw new Undetermined(
        `${name} did not take: the stream ended by ${end} after ${session.frames.length} frames`,
      );
    }
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
