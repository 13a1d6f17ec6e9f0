/** RPL-03: wherever an observation is cut, and however, resuming it yields every event once. */

import { Undetermined } from '../../src/harness/check.js';
import { finished, ordered } from '../../src/harness/checkers/history.js';
import type { CutKind, CutPlan, Link } from '../../src/harness/lab/ports.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import {
  ended,
  isTerminalFrame,
  lastOf,
  resultOf,
  resume,
  type Seen,
  seenOf,
  tail,
} from '../../src/harness/run/observe.js';
import { AFTER, heldTask, place, release, START } from '../../src/harness/run/story.js';
import type { Chosen } from '../../src/harness/run/sweeps.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Probe, Session } from '../../src/harness/wire/probe.js';
import { toxiproxyBoundaries } from './toxiproxy-boundaries.js';

const OFFSETS = 64;
const HOLES = 8;
/** Concurrent observers of one held task: cut observers, not tasks. */
const AT_ONCE = 16;

interface Observer {
  name: string;
  link: Link;
  session: Session;
  plan: CutPlan;
  cut: ReturnType<Link['tap']['arm']>;
}

/** The cuts of a sweep, so many at once on one held task. */
async function sweep(
  lab: CaseLab,
  executor: ExecutorSubject,
  part: string,
  plans: readonly CutPlan[],
): Promise<void> {
  const chosen = lab.sweep('cuts', plans);
  for (let at = 0; at < chosen.length; at += AT_ONCE)
    await cutAndResume(lab, executor, `${part}${at}`, chosen.slice(at, at + AT_ONCE));
}

/** One held task; each plan is an observer on a link of its own, cut as planned, resumed, and checked. */
async function cutAndResume(
  lab: CaseLab,
  executor: ExecutorSubject,
  part: string,
  cuts: readonly Chosen<CutPlan>[],
): Promise<void> {
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, part, AFTER);
  const before = await place(probe, started.taskId);
  const prefix = await tail(probe, started.taskId, '0', 'before');
  const observers: Observer[] = [];
  for (const { index, point: plan } of cuts) {
    const name = `${part}-${index}`;
    const link = await lab.link(executor, name);
    const cut = link.tap.arm(plan);
    observers.push({
      name,
      link,
      plan,
      cut,
      session: probe.subscribe(started.taskId, { via: link.address }),
    });
  }
  // Whoever is to be cut later has its Task before the log goes on; a cut in the first frame strikes at once.
  await Promise.all(
    observers.map(({ session, cut }) =>
      Promise.race([
        session.until((frames) => frames.length > 0).catch(() => undefined),
        session.ended,
        cut.verify(10_000),
      ]),
    ),
  );
  await release(executor, started);
  const task = await ended(probe, started.taskId);
  const envelope = resultOf(task) ?? {};
  const histories: Record<string, Seen[]> = {};
  await Promise.all(
    observers.map(async (observer) => {
      histories[observer.name] = [...prefix, ...(await follow(lab, probe, started.taskId, before, observer))];
    }),
  );
  lab.evidence(
    `${part}-cuts.json`,
    observers.map(({ name, plan, cut }) => ({ name, plan, report: cut.report })),
  );
  lab.evidence(
    `${part}-history.json`,
    Object.fromEntries(
      Object.entries(histories).map(([name, seen]) => [
        name,
        seen.map(({ session, sequence }) => `${session} ${sequence}`),
      ]),
    ),
  );
  for (const [name, seen] of Object.entries(histories)) {
    lab.attempt();
    lab.holds(finished(seen, envelope), `${name}: the union after the resume`);
    lab.holds(onceEach(seen), name);
  }
}

async function follow(
  lab: CaseLab,
  probe: Probe,
  taskId: string,
  from: { sequence: number; cursor: string },
  observer: Observer,
): Promise<Seen[]> {
  const { session, cut, plan, name, link } = observer;
  if (!(await cut.verify(10_000))) {
    const end = await Promise.race([session.ended, Promise.resolve('open')]);
    // The subject itself ended the stream before there was anything to cut: that is its failure, not the fault's.
    lab.expect(
      end === 'open' || session.frames.some(isTerminalFrame),
      `${name}: the stream ended by ${end} after ${session.frames.length} frames, without a terminal event and uncut`,
    );
    throw new Undetermined(`the fault did not take: ${plan.kind} at ${JSON.stringify(plan.at)} of ${name}`);
  }
  // A silent link never ends by itself; whoever watches it for 2.5 heartbeats leaves it.
  if (plan.kind === 'silence') session.close();
  await session.ended;
  session.close();
  const live = seenOf(session, `${name} before the cut`);
  lab.holds(ordered(live), `${name} before the cut`);
  const last = lastOf(live, session.frames[0]?.kind === 'task' ? from : START);
  const start = session.frames.length === 0 ? from : last;
  return [...live, ...(await resume(probe, taskId, start, name, { via: link.address }))];
}

/** Resuming from the right place repeats nothing. */
function onceEach(seen: readonly Seen[]): string[] {
  const counts = new Map<number, number>();
  for (const { sequence } of seen) counts.set(sequence, (counts.get(sequence) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([sequence, count]) => `event ${sequence} came ${count} times`);
}

/** How many frames, and how many bytes, an undisturbed observer of the same task receives. */
async function measure(lab: CaseLab, executor: ExecutorSubject): Promise<{ frames: number; bytes: number }> {
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 'measure', AFTER);
  const link = await lab.link(executor, 'measure');
  const session = probe.subscribe(started.taskId, { via: link.address });
  await session.until((frames) => frames.length > 0);
  await release(executor, started);
  await session.until((frames) => frames.some(isTerminalFrame));
  await session.ended;
  const connection = await link.tap.connection(0);
  return { frames: session.frames.length, bytes: connection.delivered.downstream };
}

const everyBoundary = (kind: CutKind) => async (lab: CaseLab) => {
  const executor = await lab.executor();
  const { frames } = await measure(lab, executor);
  if (frames < 10) throw new Undetermined(`only ${frames} frames to cut between`);
  const plans = Array.from(
    { length: frames },
    (_, k): CutPlan => ({ kind, direction: 'downstream', at: { frame: k + 1, framer: lab.framer } }),
  );
  await sweep(lab, executor, kind, plans);
};

async function offsets(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const { bytes } = await measure(lab, executor);
  const random = lab.random('coordinator-executor', 'downstream');
  // In thousandths of the stream, since its length varies a little with how writes are batched: one seed, one schedule.
  const points = random
    .sample(OFFSETS, 1, 990)
    .map((permille) => ({ permille, kind: random.pick(['reset', 'fin'] as const) }));
  const plans = points.map(
    ({ permille, kind }): CutPlan => ({
      kind,
      direction: 'downstream',
      at: { byte: Math.ceil((bytes * permille) / 1000) },
    }),
  );
  lab.evidence('schedule.json', points);
  await sweep(lab, executor, 'offset', plans);
}

async function blackHoles(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const { frames } = await measure(lab, executor);
  const random = lab.random('coordinator-executor', 'downstream', 1);
  const points = random.sample(HOLES, 1, frames - 1);
  await sweep(
    lab,
    executor,
    'hole',
    points.map(
      (frame): CutPlan => ({ kind: 'silence', direction: 'downstream', at: { frame, framer: lab.framer } }),
    ),
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-03',
  cases: (cell) => [
    { name: 'reset', estimateMs: 3000, deadlineMs: 60_000, run: everyBoundary('reset') },
    { name: 'fin', estimateMs: 3000, deadlineMs: 60_000, run: everyBoundary('fin') },
    { name: 'half-close', estimateMs: 3000, deadlineMs: 60_000, run: everyBoundary('half-close') },
    { name: 'black-hole', estimateMs: 2000, deadlineMs: 60_000, run: blackHoles },
    { name: 'toxiproxy', estimateMs: 1500, deadlineMs: 60_000, run: toxiproxyBoundaries },
    // Offsets inside frames: in one cell per binding.
    ...(cell.topology === 'direct'
      ? [{ name: 'offsets', estimateMs: 6000, deadlineMs: 90_000, run: offsets }]
      : []),
  ],
};
