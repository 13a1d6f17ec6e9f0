/** RPL-17: the chain over what was received equals the signed head, and one event dropped, altered, swapped or injected never passes. */
import { finished } from '../../src/harness/checkers/history.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, isTerminalFrame, resultOf, seenOf, tail } from '../../src/harness/run/observe.js';
import { AFTER, heldTask, release } from '../../src/harness/run/story.js';
import type { StoryEvent } from '../../src/harness/subjects/fake-story.js';
import type { Suite } from '../../src/harness/suite.js';
import { wireRequest } from '../../src/harness/wire/request.js';
import type { EventBody } from '../../src/profile/model.js';

type Bend = (events: readonly StoryEvent[]) => StoryEvent[];

/** Numbers and cursors as an honest log of that length has them: only the chain can tell. */
const renumbered = (events: readonly StoryEvent[]): StoryEvent[] =>
  events.map(({ body }, index) => ({ sequence: index + 1, cursor: `c${index + 1}`, body }));
const drop =
  (at: number): Bend =>
  (events) =>
    renumbered(events.filter(({ sequence }) => sequence !== at));
const swap =
  (at: number): Bend =>
  (events) => {
    const all = [...events];
    [all[at - 1], all[at]] = [all[at] as StoryEvent, all[at - 1] as StoryEvent];
    return renumbered(all);
  };
const inject =
  (after: number): Bend =>
  (events) =>
    renumbered([...events.slice(0, after), events[1] as StoryEvent, ...events.slice(after)]);
const alter =
  (at: number): Bend =>
  (events) =>
    events.map((event) => (event.sequence === at ? { ...event, body: altered(event.body) } : event));

/** One visible change: of a text, or where there is none, of the time. */
function altered(body: EventBody): EventBody {
  if ('artifactUpdate' in body) {
    const { artifact } = body.artifactUpdate;
    return {
      artifactUpdate: { ...body.artifactUpdate, artifact: { ...artifact, parts: [{ text: 'bent' }] } },
    };
  }
  const { status } = body.statusUpdate;
  const bent =
    status.message === undefined
      ? { ...status, timestamp: '2001-01-01T00:00:00.000Z' }
      : { ...status, message: { ...status.message, parts: [{ text: 'bent' }] } };
  return { statusUpdate: { ...body.statusUpdate, status: bent } };
}

/** By the place of the event in the five of the story: submitted, working, two pieces of the answer, completed. */
const BENDS: Record<string, Bend> = {
  'first-altered': alter(1),
  'status-altered': alter(2),
  'artifact-altered': alter(3),
  'last-piece-altered': alter(4),
  'terminal-altered': alter(5),
  'status-dropped': drop(2),
  'artifact-dropped': drop(3),
  'first-two-swapped': swap(1),
  'pieces-swapped': swap(3),
  'status-injected': inject(2),
  'late-injected': inject(4),
};
const AT_ONCE = 4;

/** An executor that signs an honest log and shows another, to each coordinator the bend that its request asks for. */
async function shown(lab: CaseLab, where: 'pages' | 'live'): Promise<void> {
  const { gate } = await lab.executor();
  const bendOf = new Map<string, Bend>();
  const of = (events: readonly StoryEvent[]): Bend => {
    const first = events[0]?.body;
    const taskId = first !== undefined && 'statusUpdate' in first ? first.statusUpdate.taskId : '';
    return bendOf.get(taskId.replace(/^task-/, '')) ?? ((all) => [...all]);
  };
  const fake = await lab.fake(
    'gate',
    where === 'pages'
      ? { story: (story) => ({ ...story, events: of(story.events)(story.events) }) }
      : { live: (events) => of(events)(events) },
  );
  const one = async (name: string) => {
    const { request_id, task, capabilities } = wireRequest(fake.peer, 'a task for the harness itself');
    bendOf.set(request_id, BENDS[name] as Bend);
    const limits = { deadline_ms: 20_000, max_output_bytes: 256 * 1024 };
    const run = lab
      .coordinator()
      .run('delegate', lab.jobTo(fake, gate.keyFile, { request_id, task, capabilities, ...limits }));
    const result = await run.result;
    lab.attempt();
    lab.evidence(`${name}.json`, run.lines);
    const said = `${String(result?.outcome)}, verified ${String(result?.verified)}, ${String(result?.observation)}, ${String(result?.reason)}`;
    if (where === 'live') {
      // What was bent on the way is read once more, and the log itself does not contradict.
      lab.expect(
        result?.outcome === 'completed' && result.verified === true && result.observation === 'complete',
        `${name}, on the live stream only: ${said}`,
      );
      return;
    }
    lab.expect(result?.outcome === 'unknown' && result.verified === false, `${name}, in the pages: ${said}`);
    lab.expect(
      result?.observation === 'contradicted'
        ? result.reason === 'LOG_MISMATCH'
        : result?.reason === 'TERMINAL_MISMATCH',
      `${name}, in the pages: ${said}; neither contradicted nor refused`,
    );
  };
  const names = lab.sweep('bends', Object.keys(BENDS)).map(({ point }) => point);
  for (let at = 0; at < names.length; at += AT_ONCE)
    await Promise.all(names.slice(at, at + AT_ONCE).map(one));
}

/** Every kind of event, seen live and in pages by two observers: both chains are the signed one. */
async function recomputed(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const started = await heldTask(lab, executor, probe, 'r', AFTER);
  const before = await tail(probe, started.taskId, '0', 'before');
  const session = probe.subscribe(started.taskId);
  await session.until((frames) => frames.length > 0);
  await release(executor, started);
  await session.until((frames) => frames.some(isTerminalFrame));
  const envelope = resultOf(await ended(probe, started.taskId)) ?? {};
  const pages = await tail(probe, started.taskId, '0', 'pages');
  lab.evidence('envelope.json', envelope);
  lab.holds(finished([...before, ...seenOf(session, 'live')], envelope), 'pages, then live');
  lab.holds(finished(pages, envelope), 'pages alone');
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-17',
  cases: () => [
    { name: 'recomputed', estimateMs: 500, deadlineMs: 30_000, run: recomputed },
    { name: 'pages', estimateMs: 2500, deadlineMs: 60_000, run: (lab) => shown(lab, 'pages') },
    { name: 'live', estimateMs: 2500, deadlineMs: 60_000, run: (lab) => shown(lab, 'live') },
  ],
};
