/** PRF-22: whatever the binding, a scenario has the one transcript that follows from it. */
import { differenceOf } from '../../src/harness/checkers/transcript.js';
import { DeadlinePassed } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, positionOf, resultOf, tail, taskOf } from '../../src/harness/run/observe.js';
import { type Expected, expectedOf } from '../../src/harness/scenarios/expected.js';
import { untilHeld } from '../../src/harness/scenarios/held.js';
import { namesOf } from '../../src/harness/scenarios/names.js';
import { Plain } from '../../src/harness/scenarios/plain.js';
import { HOLD, SCENARIOS, type Scenario, scriptOf } from '../../src/harness/scenarios/scenario.js';
import { expectedTranscript, type Line, linesOf, middleOf } from '../../src/harness/scenarios/transcript.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json, Probe, Session } from '../../src/harness/wire/probe.js';
import type { WireRequest } from '../../src/harness/wire/request.js';
import { verifyResult } from '../../src/harness/wire/verify-result.js';

/** In ms: readers must have come before it passes, and on a busy host the shortest may not leave them the time. */
const DEADLINES = [800, 3000, 10_000];

/** A task whose readers have come, and what was said until then. */
interface Begun {
  request: WireRequest;
  id: string;
  script: string;
  created: Json;
  waiting: Json | undefined;
  streams: { what: string; session: Session }[];
}

/** Undefined when its own deadline came first. */
async function begin(
  lab: CaseLab,
  executor: ExecutorSubject,
  probe: Probe,
  scenario: Scenario,
  expected: Expected,
  deadline_ms = 60_000,
): Promise<Begun | undefined> {
  const { capabilities, ending } = scenario;
  const { held } = expected;
  const part = `${ending.by}-${deadline_ms}`;
  const options = { cap: capabilities };
  const request = lab.script(executor, part, scriptOf(scenario), { capabilities, deadline_ms });
  const created = taskOf(await probe.create(request, options), 'the create');
  const id = String(created.id);
  const script = lab.scriptId(part);
  const again = () => ({
    what: 'the same create again, streaming',
    session: probe.createStreaming(request, options),
  });
  const begun: Begun = { request, id, script, created, waiting: undefined, streams: [] };
  if (held === 0) return { ...begun, streams: [again()] };
  try {
    await untilHeld(executor, probe, script, id, expected, Math.min(deadline_ms, 15_000));
    const waiting = taskOf(await probe.get(id), 'the Task while the agent waits');
    const streams = [{ what: 'a subscribe', session: probe.subscribe(id) }, again()];
    await Promise.all(streams.map(({ session }) => session.until((frames) => frames.length > 0)));
    const moved = streams.some(({ session }) => session.frames[0]?.sequence !== held);
    return moved && ending.by === 'deadline' ? undefined : { ...begun, waiting, streams };
  } catch (error) {
    if (ending.by === 'deadline' && error instanceof DeadlinePassed) return undefined;
    throw error;
  }
}

async function beginInTime(
  ...[lab, executor, probe, scenario, expected]: Parameters<typeof begin>
): Promise<Begun> {
  for (const deadline of scenario.ending.by === 'deadline' ? DEADLINES : [undefined]) {
    const begun = await begin(lab, executor, probe, scenario, expected, deadline);
    if (begun !== undefined) return begun;
  }
  throw new DeadlinePassed(`no reader had come before a deadline of ${DEADLINES.at(-1)} ms`);
}

/** Every way in which the binding tells of the task, from here to behind its end. */
async function lines(
  executor: ExecutorSubject,
  probe: Probe,
  { ending, capabilities }: Scenario,
  { words, last }: Expected,
  { request, id, script, created, waiting, streams }: Begun,
): Promise<{ said: Line[]; cancelled: Json | undefined; result: Json }> {
  const { events, list } = probe;
  const configuration = { returnImmediately: false };
  const blocking = list && probe.create(request, { cap: capabilities, configuration });
  // It is awaited below; until then its failure is not unhandled.
  blocking?.catch(() => {});
  const cancelled = ending.by === 'cancel' ? await probe.cancel(id) : undefined;
  if (ending.by === 'agent') await executor.holds.release(script, HOLD);
  await Promise.all(streams.map(({ session }) => session.ended));
  const task = await ended(probe, id);
  const log = await tail(probe, id, '0', 'the log');

  const plain = new Plain(namesOf(request, task, log), words);
  const said: Line[] = [];
  const add = (what: string, one: unknown) => said.push({ what, said: one });
  add('the create', plain.task(created));
  if (waiting !== undefined) add('the Task while the agent waits', plain.task(waiting));
  for (const { what, session } of streams) add(what, await plain.stream(session));
  if (blocking !== undefined) add('the same create again, blocking', plain.answer(await blocking));
  if (cancelled !== undefined) add('the cancel', plain.answer(cancelled));
  add('the Task after the end', plain.task(task));
  const middle = log[middleOf(last) - 1]?.cursor ?? 'none';
  add('its events from the beginning', plain.answer(await probe.get(id, { cursor: '0' })));
  add('its events from the middle', plain.answer(await probe.get(id, { cursor: middle })));
  if (events !== undefined) add('its events as a stream', await plain.stream(events(id, '0')));
  const query = { contextId: created.contextId, includeArtifacts: true };
  if (list !== undefined) add('the list', plain.list(await list({ query })));
  add('a cancel after the end', plain.answer(await probe.cancel(id)));
  add('a subscribe after the end', await plain.stream(probe.subscribe(id)));
  return { said, cancelled: cancelled?.result, result: resultOf(task) ?? {} };
}

const told = (name: string) => async (lab: CaseLab) => {
  const scenario = SCENARIOS[name] as Scenario;
  const executor = await lab.executor();
  const probe = executor.probe();
  const expected = expectedOf(scenario, { executor: executor.peer, caller: probe.peer });
  const begun = await beginInTime(lab, executor, probe, scenario, expected);
  const { said, cancelled, result } = await lines(executor, probe, scenario, expected, begun);
  const places = { created: placeOf(begun.created, expected), cancelled: placeOf(cancelled, expected) };
  const family = probe.list === undefined ? 'OAB' : 'A2A';
  const should = linesOf(expectedTranscript(scenario, expected, family, places));
  const is = linesOf(said);
  lab.evidence('expected.json', should.lines);
  lab.evidence('transcript.json', is.lines);
  const difference = differenceOf(should, is);
  lab.expect(difference === undefined, `not what the scenario implies (expected | received): ${difference}`);
  lab.expect(
    await verifyResult(result, executor.resultKeys),
    'the signed result does not verify with a stock JOSE library',
  );
};

/** Where a Task says that it stands, if there is such a place. */
function placeOf(task: Json | undefined, { last }: Expected): number {
  const { sequence } = task === undefined ? { sequence: 1 } : positionOf(task);
  return Number.isInteger(sequence) && sequence >= 1 && sequence <= last ? sequence : 1;
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-22',
  cases: () =>
    Object.keys(SCENARIOS).map((name) => ({
      name,
      estimateMs: name === 'expired' ? 1500 : 500,
      deadlineMs: 40_000,
      run: told(name),
    })),
};
