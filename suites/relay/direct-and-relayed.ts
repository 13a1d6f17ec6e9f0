/** The same tasks at an executor that is reached directly and at one behind the relay: whatever is said there is said here. */
import { differenceOf, Transcript } from '../../src/harness/checkers/transcript.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, isTerminalFrame, tail, taskOf } from '../../src/harness/run/observe.js';
import { AFTER, heldTask, release } from '../../src/harness/run/story.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Probe } from '../../src/harness/wire/probe.js';
import { declared, HOLD, inTime, type Scenario } from './declared.js';

/** How a task can end (profile section 5), each by the shortest way there. */
const SCENARIOS: Record<string, Scenario> = {
  failed: { script: ['say no', 'stop refusal'] },
  unknown: { script: ['say a', 'stop something_new'] },
  rejected: { script: ['say x'], more: { capabilities: ['net:fetch'] }, cap: ['net:fetch'] },
  expired: { script: ['say a', `hold ${HOLD}`], expires: true },
  cancelled: { script: ['say a', `hold ${HOLD}`], cancel: true },
};

type Told = (lab: CaseLab, executor: ExecutorSubject, probe: Probe) => Promise<Transcript>;

/** Watched live from a point where nothing moves, read again from the beginning, and asked for what it refuses. */
const completed: Told = async (lab, executor, probe) => {
  const transcript = new Transcript();
  const started = await heldTask(lab, executor, probe, 'completed', AFTER);
  const session = probe.subscribe(started.taskId);
  await session.until((frames) => frames.length > 0);
  await release(executor, started);
  await session.until((frames) => frames.some(isTerminalFrame));
  for (const { json } of session.frames) transcript.add('a live frame', json);
  transcript.add('the end of the stream', await session.ended);
  transcript.add('strange bytes on the stream', session.strange());
  await read(probe, started.taskId, transcript);
  const refusal = await probe.subscribe(started.taskId).refusal;
  for (const [what, answer] of [
    ['a subscribe after the end', refusal],
    ['a cancel after the end', await probe.cancel(started.taskId)],
    ['a cursor that was never issued', await probe.get(started.taskId, { cursor: 'c9.nobodys' })],
    ['a task that is not there', await probe.get('no-such-task')],
    ['a request that does not negotiate', await probe.get(started.taskId, { extensions: false })],
    ['a request without a token', await probe.get(started.taskId, { token: null })],
  ] as const)
    transcript.add(what, answer?.status, answer?.echoed, answer?.text);
  return transcript;
};

const scenario =
  (name: string, one: Scenario): Told =>
  (lab, executor, probe) =>
    inTime(one, name, async (part, script, more) => {
      const transcript = new Transcript();
      const { cap, cancel } = one;
      const request = lab.script(executor, part, script, more);
      const created = taskOf(await probe.create(request, cap === undefined ? {} : { cap }), 'the create');
      const id = String(created.id);
      if (cancel === true) {
        await executor.holds.waiting(lab.scriptId(part), HOLD);
        transcript.add('the cancel', { status: (await probe.cancel(id)).status });
      }
      await ended(probe, id);
      await read(probe, id, transcript);
      return transcript;
    });

async function read(probe: Probe, id: string, transcript: Transcript): Promise<void> {
  const { status, echoed, text } = await probe.get(id);
  transcript.add('the task', status, echoed, text);
  for (const { sequence, cursor, event } of await tail(probe, id, '0', 'tail'))
    transcript.add('an event', { sequence, cursor, event });
}

const STORIES: Record<string, Told> = {
  completed,
  ...Object.fromEntries(Object.entries(SCENARIOS).map(([name, one]) => [name, scenario(name, one)])),
};

export async function directAndRelayed(lab: CaseLab): Promise<void> {
  const both = await Promise.all([lab.fresh({}, { topology: 'direct' }), lab.fresh()]);
  const told = await Promise.all(
    both.map(async (executor) => {
      const probe = executor.probe();
      const card = new Transcript();
      card.add('the card', await probe.card());
      const stories: Record<string, Transcript> = { card };
      for (const [name, story] of Object.entries(STORIES)) stories[name] = await story(lab, executor, probe);
      const printed = await declared(lab, executor, probe, {
        completed: { script: AFTER },
        ...SCENARIOS,
      });
      return { ...stories, ...printed };
    }),
  );
  const [direct = {}, relayed = {}] = told;
  lab.evidence('direct.json', direct);
  lab.evidence('relayed.json', relayed);
  for (const [name, transcript] of Object.entries(direct)) {
    lab.attempt();
    const difference = differenceOf(transcript, relayed[name] ?? new Transcript());
    lab.expect(
      difference === undefined,
      `a finding of its own: ${name} is not the same directly and through the relay: ${difference}`,
    );
  }
}
