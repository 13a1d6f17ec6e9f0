/** RPL-16: a coordinator that is killed at any boundary of its store goes on with its one request, from the place that it had stored. */

import {
  agentEnded,
  CANCELLED,
  type Delegating,
  type DelegatingStory,
  FOLLOWED,
  openDelegating,
  releaseHolds,
} from '../../src/harness/boundaries/coordinator-stories.js';
import type { Told, When } from '../../src/harness/boundaries/stops.js';
import { killedAt, type Place, record, sought } from '../../src/harness/boundaries/walk.js';
import { exactly } from '../../src/harness/checkers/ledger.js';
import type { Link } from '../../src/harness/lab/ports.js';
import { sentCalls } from '../../src/harness/lab/sent-calls.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf } from '../../src/harness/run/observe.js';
import { countTasks } from '../../src/harness/run/tasks.js';
import type { JobRun } from '../../src/harness/subjects/coordinator-subject.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { jcs } from '../../src/profile/canonical.js';

const STORIES: readonly DelegatingStory[] = [FOLLOWED, CANCELLED];
const AT_ONCE = 4;

interface Attempt {
  story: DelegatingStory;
  place: Place;
  when: When;
}

async function boundaries(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  const walked = await Promise.all(
    STORIES.map(async (story) => {
      const { scene } = await delegating(lab, executor, story, story.name);
      return { story, places: await record(scene, story) };
    }),
  );
  const all = everyBoundary(walked);
  const points = all.map(({ story, place, when }) => ({ story: story.name, ...place, when }));
  const attempts = lab
    .sweep('boundaries', points)
    .map(({ index }) => ({ index, ...(all[index] as Attempt) }));
  const queue = [...attempts];
  let requests = STORIES.length;
  const worker = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const made = await attempt(lab, executor, one, `b${one.index}`, one.index);
      requests += made;
      lab.attempt();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const total = await countTasks(executor, executor.probe());
  lab.expect(total === requests, `${requests} requests made ${total} tasks`);
}

/** Every write of each phase; what depends on how the first events come counts once. */
function everyBoundary(walked: readonly { story: DelegatingStory; places: Place[] }[]): Attempt[] {
  const known = new Set<string>();
  return walked.flatMap(({ story, places }, index) => {
    const chosen = places.filter(({ phase, label, nth }) =>
      index === 0 ? phase > 0 || nth === 1 : nth === 1 && !known.has(label),
    );
    for (const { label } of places) known.add(label);
    return chosen.flatMap((place) => (['before', 'after'] as const).map((when) => ({ story, place, when })));
  });
}

async function delegating(
  lab: CaseLab,
  executor: ExecutorSubject,
  story: DelegatingStory,
  part: string,
): Promise<{ scene: Delegating; link: Link }> {
  const subject = lab.stoppableCoordinator();
  const link = await lab.link(executor, part);
  const request = lab.script(executor, part, story.script);
  const job = lab.job(executor, executor.gate.keyFile, request, link.address);
  return { scene: openDelegating(lab, executor, job, part, subject), link };
}

/** Resolves with how many requests it took. */
async function attempt(
  lab: CaseLab,
  executor: ExecutorSubject,
  { story, place, when }: Attempt,
  part: string,
  index: number,
): Promise<number> {
  const at = `${story.name}, killed ${when} "${place.label}" (${place.phase}, ${place.nth})`;
  let tries = 0;
  const { scene, link, account } = await sought(at, async () => {
    tries += 1;
    const opened = await delegating(lab, executor, story, `${part}.${tries}`);
    const told = await killedAt(opened.scene, story, place, when);
    return told && { ...opened, account: told };
  });
  const has = (label: RegExp, phase: Told['phase'] = 'after') =>
    account.some((told) => told.phase === phase && label.test(told.label));
  const before = link.tap.connections.length;

  // Whatever the task still does, it does while nobody looks: what comes back has something to read.
  if (story === FOLLOWED) {
    await releaseHolds(scene, story);
    if (has(/taskId/, 'before')) await agentEnded(scene);
    if (has(/taskId/)) await ended(executor.probe(), String(account.find(({ task }) => task)?.task));
  }
  // A wish that was recorded is told to the executor by whoever goes on; one that was not is told again.
  if (story === CANCELLED && !has(/cancelWanted/)) await scene.coordinator.run('cancel', scene.job).exit;
  // Both ways back: by the id, and by asking the same once more. What was never recorded can only be asked.
  const action = has(/^insert/) && index % 4 < 2 ? 'wait' : 'delegate';
  const again = scene.coordinator.run(action, scene.job);
  const result = await again.result;
  lab.evidence(`${part}.json`, {
    at,
    action,
    account,
    lines: [...scene.runs, again].map(({ lines }) => lines),
  });

  onTheWire(lab, link, scene, at);
  const wanted = story === CANCELLED ? 'cancelled' : 'completed';
  lab.expect(
    result?.outcome === wanted && result.verified === true && result.observation === 'complete',
    () =>
      `${at}: ${action} gives ${String(result?.outcome)}, ${String(result?.observation)}, ${String(result?.reason)}, not ${wanted}: ${again.stderr().slice(-300)}`,
  );
  const task = await ended(executor.probe(), String(result?.task_id));
  lab.expect(
    jcs(result?.envelope) === jcs(resultOf(task)),
    `${at}: the result is not the one that the executor signed`,
  );
  lab.holds(
    complete(
      [...scene.runs, again].flatMap(({ lines }) => lines),
      result,
    ),
    `${at}: the lines`,
  );
  goesOn(lab, link, before, story, account, again, at);
  lab.holds(
    exactly(await executor.holds.ledger(scene.script), { prompts: 1 }),
    `${at}: the agent's own ledger`,
  );
  return tries;
}

/** Printed at least once each, by whichever run. */
function complete(lines: readonly Json[], result: Json | undefined): string[] {
  const { last_sequence } = ((result?.envelope as Json | null)?.event_log ?? {}) as {
    last_sequence?: number;
  };
  const printed = new Set(
    lines.flatMap(({ type, sequence }) => (type === 'event' ? [Number(sequence)] : [])),
  );
  return Array.from({ length: last_sequence ?? 0 }, (_, index) => index + 1)
    .filter((sequence) => !printed.has(sequence))
    .map((sequence) => `event ${sequence} was never printed`);
}

/** One request id, one message byte for byte. */
function onTheWire(lab: CaseLab, link: Link, { job }: Delegating, at: string): void {
  const creates = link.tap.connections
    .flatMap(sentCalls)
    .flatMap(({ does, message }) => (does === 'create' ? [message] : []));
  // A process may be killed before its TLS secrets are on record.
  const unread = link.tap.connections.some(
    (connection) => connection.plain('upstream').length === 0 && connection.received.upstream > 0,
  );
  lab.expect(creates.length > 0 || unread, `${at}: no create was sent`);
  const different = new Set(creates);
  lab.expect(
    different.size <= 1,
    `${at}: ${different.size} different messages were sent: ${[...different].join(' | ').slice(0, 600)}`,
  );
  const name = job.executor.binding === 'OAB' ? 'request_id' : 'messageId';
  const id = `"${name}":${JSON.stringify(job.request.request_id)}`;
  lab.expect(
    creates.every((message) => message.includes(id)),
    `${at}: a create has another request id`,
  );
}

/** What the second run reads first, on the wire and in its lines, is what follows the place that the first had stored. */
function goesOn(
  lab: CaseLab,
  link: Link,
  before: number,
  story: DelegatingStory,
  account: readonly Told[],
  again: JobRun,
  at: string,
): void {
  // A result that was stored is told again, and nothing is asked.
  if (account.some(({ phase, label }) => phase === 'after' && label === 'update result')) return;
  const place = account.findLast(({ phase, cursor }) => phase === 'after' && cursor !== undefined);
  const [cursor] = link.tap.connections
    .slice(before)
    .flatMap(sentCalls)
    .flatMap(({ does, cursor: one }) => (does === 'events' ? [one] : []));
  const stored = place?.cursor ?? '0';
  // A task that still runs may have nothing behind that place yet, so that only the stream is read.
  const live = story === CANCELLED && cursor === undefined;
  lab.expect(
    live || cursor === stored,
    `${at}: goes on from ${String(cursor)}, and ${String(stored)} was stored`,
  );
  const first = again.lines.find(({ type }) => type === 'event')?.sequence;
  lab.expect(
    first === Number(place?.sequence ?? 0) + 1,
    `${at}: the first event that it prints is ${String(first)}, and ${String(place?.sequence ?? 0)} was stored`,
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-16',
  cases: () => [
    {
      name: 'every-boundary',
      estimateMs: 12_000,
      deadlineMs: 240_000,
      needs: ['boundaries'],
      run: boundaries,
    },
  ],
};
