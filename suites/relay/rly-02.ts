/** RLY-02: whichever link is cut, however, and also when the relay is restarted, coordinators are back in time and lose nothing. */
import { Undetermined } from '../../src/harness/check.js';
import { exactly } from '../../src/harness/checkers/ledger.js';
import type { InjectorProxy } from '../../src/harness/faults/injector.js';
import { until } from '../../src/harness/lab/deadline.js';
import type { CutKind, Link, TapConnection } from '../../src/harness/lab/ports.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { distribution } from '../../src/harness/run/distribution.js';
import { taskOf } from '../../src/harness/run/observe.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Suite } from '../../src/harness/suite.js';
import { type Break, boundOf } from './reconnect-bound.js';
import { type Follower, followers, said, seen, whole } from './reconnecting.js';

const BACKOFF = { floorMs: 50, ceilingMs: 400 };
const SETTINGS = { heartbeatMs: 200, reconnect: BACKOFF, ping: { intervalMs: 100, timeoutMs: 600 } };
/** One way, on each link, so that a round trip is something. */
const LATENCY_MS = 5;
const FOLLOWERS = 4;
/** How long a link or the relay is away. */
const OUTAGE_MS = [100, 500] as const;

type Where = 'coordinator-executor' | 'coordinator-relay' | 'executor-relay' | 'relay';
interface Point {
  where: Where;
  how: 'reset' | 'fin' | 'silence' | 'down' | 'kill';
  /** For `down` and `kill`. */
  awayMs: number;
}

interface Sample extends Break {
  at: string;
  follower: string;
  elapsedMs: number;
}

/** Each way of losing a connection, as often on each link that the cell has. */
function plan(lab: CaseLab): Point[] {
  const direct = lab.cell.topology === 'direct';
  const random = lab.random('cuts');
  const links: Where[] = direct ? ['coordinator-executor'] : ['coordinator-relay', 'executor-relay'];
  const kinds = ['reset', 'fin', 'silence', 'down'] as const;
  const points = links.flatMap((where) =>
    Array.from({ length: direct ? 2 : 1 }, () => kinds.map((how) => ({ where, how }))).flat(),
  );
  const kills = direct ? [] : Array.from({ length: 2 }, () => ({ where: 'relay', how: 'kill' }) as const);
  return random
    .shuffle<Omit<Point, 'awayMs'>>([...points, ...kills])
    .map((point) => ({ ...point, awayMs: random.int(...OUTAGE_MS) }));
}

async function cuts(lab: CaseLab): Promise<void> {
  const points = lab.sweep('cuts', plan(lab));
  const executor = await lab.fresh(SETTINGS);
  const behind = await throughInjector(lab, executor);
  const all = await followers(lab, executor, FOLLOWERS, points.length, {
    reconnect: { floor: `${BACKOFF.floorMs}ms`, ceiling: `${BACKOFF.ceilingMs}ms` },
    latencyMs: LATENCY_MS,
  });
  const samples: Sample[] = [];
  const roundTrips: number[] = [];
  // As many at once as come back at once.
  const measure = async () =>
    void roundTrips.push(...(await Promise.all(all.map((one) => roundTrip(executor, one)))));
  await measure();
  for (const [round, { point }] of points.entries()) {
    lab.attempt();
    const links = point.where === 'executor-relay' ? behind : all.map(({ link }) => link);
    const broken = await breaks(lab, executor, point, links, () => said(executor, all, round));
    const times = await Promise.all(all.map((one) => seen(one, round)));
    for (const [index, time] of times.entries())
      samples.push({
        at: `${point.where} ${point.how}`,
        follower: String(index + 1),
        elapsedMs: Math.max(0, time - broken.workedAt),
        ...broken.what,
      });
    await measure();
  }
  for (const { script } of all) await executor.holds.release(script, `r${points.length}`);
  for (const one of all) {
    const result = await one.run.result;
    lab.holds(whole(one.run, result), `the lines of ${one.script}`);
    lab.holds(exactly(await executor.holds.ledger(one.script), { prompts: 1 }), one.script);
  }
  judge(lab, executor, samples, roundTrips);
}

/** A link of the executor to each of its relays, with the injector in it: the tunnel that stood without is cut once. */
async function throughInjector(lab: CaseLab, executor: ExecutorSubject): Promise<Link[]> {
  const links = executor.relays.map(({ executorLink }) => executorLink);
  for (const link of links) {
    lab.schedule.watch(link);
    await latency(await link.proxy());
    const before = link.tap.connections.length;
    await cutAll(lab, link, 'reset');
    const tunnel = await link.tap.connection(before);
    await until(() => tunnel.delivered.upstream > 0 && answers(executor), {
      ms: 10_000,
      what: 'the tunnel through the injector',
      everyMs: 20,
    });
  }
  return links;
}

async function latency(proxy: InjectorProxy): Promise<void> {
  for (const direction of ['upstream', 'downstream'] as const)
    await proxy.addToxic({ type: 'latency', direction, attributes: { latency: LATENCY_MS } });
}

const answers = async (executor: ExecutorSubject) =>
  executor
    .probe()
    .get('task-of-nobody', { deadlineMs: 2000 })
    .then(
      ({ error }) => error?.reason === 'TASK_NOT_FOUND',
      () => false,
    );

/** Takes the connections away as the point says, has the agents speak meanwhile, and says since when the link works. */
async function breaks(
  lab: CaseLab,
  executor: ExecutorSubject,
  { where, how, awayMs }: Point,
  links: readonly Link[],
  speak: () => Promise<void>,
): Promise<{ workedAt: number; what: Break }> {
  const link = where === 'executor-relay' || where === 'relay' ? 'executor' : 'coordinator';
  const lostAt = performance.now();
  const away = until(() => performance.now() - lostAt >= awayMs, {
    ms: awayMs + 5000,
    what: 'the end of the outage',
    everyMs: 5,
  });
  let workedAt = lostAt;
  if (how === 'kill') {
    await executor.relay?.kill();
    await Promise.all([speak(), away]);
    await executor.relay?.start();
    workedAt = performance.now();
  } else if (how === 'down') {
    const proxies = await Promise.all(links.map((one) => one.proxy()));
    await Promise.all(proxies.map((proxy) => proxy.enable(false)));
    for (const proxy of proxies)
      if ((await proxy.state()).enabled) throw new Undetermined('the fault did not take: down');
    await Promise.all([speak(), away]);
    await Promise.all(proxies.map((proxy) => proxy.enable(true)));
    workedAt = performance.now();
  } else {
    // What is dialled from now on gets through: the link works at once.
    await Promise.all(links.map((one) => cutAll(lab, one, how)));
    await speak();
  }
  return { workedAt, what: { link, silent: how === 'silence', outageMs: workedAt - lostAt } };
}

const cutBefore = new WeakSet<TapConnection>();

async function cutAll(lab: CaseLab, { tap, name }: Link, kind: CutKind): Promise<void> {
  // One that was cut was ended by neither side, and one that fell silent stays for as long as either believes in it.
  const open = tap.connections.filter(
    (one) => one.ended.upstream === 'open' && one.ended.downstream === 'open' && !cutBefore.has(one),
  );
  if (open.length === 0) throw new Undetermined(`there is no connection on ${name} to cut`);
  const armed = open.map(({ index }) => tap.arm({ kind, direction: 'downstream', at: 'now' }, index));
  for (const cut of armed) await lab.took(cut, `${kind} on ${name}`);
  for (const one of open) cutBefore.add(one);
}

/** A whole exchange of the harness's own over a connection of its own, on the link of a coordinator. */
async function roundTrip(executor: ExecutorSubject, { taskId, link }: Follower): Promise<number> {
  const began = performance.now();
  taskOf(await executor.probe().get(taskId, { via: link.address }), 'GetTask');
  return performance.now() - began;
}

function judge(
  lab: CaseLab,
  { settings }: ExecutorSubject,
  samples: readonly Sample[],
  roundTrips: readonly number[],
): void {
  const trips = distribution(roundTrips);
  const late = lab.hostLate();
  const judged = samples.map((sample) => {
    const bound = boundOf(sample, BACKOFF, settings, trips.p95);
    return { ...sample, ...bound, ratio: sample.elapsedMs / (bound.boundMs + late) };
  });
  const ratio = distribution(judged.map((one) => one.ratio));
  const by = Object.fromEntries(
    [...new Set(judged.map(({ at }) => at))].sort().map((at) => {
      const own = judged.filter((one) => one.at === at);
      const of = (values: number[]) => rounded(distribution(values));
      return [
        at,
        { elapsed_ms: of(own.map((one) => one.elapsedMs)), bound_ms: of(own.map((one) => one.boundMs)) },
      ];
    }),
  );
  const measured = { round_trip_ms: rounded(trips), ratio: rounded(ratio, 3), by };
  lab.evidence('reconnects.json', { host_late_ms: late, ...measured, samples: judged });
  lab.measure('reconnect', measured);
  const worst = judged.reduce((one, other) => (other.ratio > one.ratio ? other : one));
  lab.expect(
    ratio.p95 <= 1,
    `of ${ratio.n} reconnects the 95th in a hundred took ${ratio.p95.toFixed(2)} of its bound; the longest, ${worst.at}: ${worst.elapsedMs.toFixed(0)} ms, of ${worst.boundMs.toFixed(0)}`,
  );
}

function rounded<T extends object>(figures: T, digits = 1): T {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Number(Number(value).toFixed(digits))]),
  ) as T;
}

export const suite: Suite<CaseLab> = {
  criterion: 'RLY-02',
  alone: true,
  cases: ({ topology }) => [
    { name: 'cuts', estimateMs: topology === 'direct' ? 7000 : 14_000, deadlineMs: 90_000, run: cuts },
  ],
};
