/** RPL-09: a cursor that was taken on one binding is a place on every other, and what is behind it follows from the scenario. */
import { differenceOf } from '../../src/harness/checkers/transcript.js';
import { within } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import {
  ended,
  isTerminalFrame,
  resultOf,
  resume,
  type Seen,
  seenOf,
  tail,
  taskOf,
} from '../../src/harness/run/observe.js';
import { place } from '../../src/harness/run/story.js';
import { expectedOf } from '../../src/harness/scenarios/expected.js';
import { untilHeld } from '../../src/harness/scenarios/held.js';
import { namesOf } from '../../src/harness/scenarios/names.js';
import { Plain } from '../../src/harness/scenarios/plain.js';
import { HOLD, SCENARIOS, type Scenario, scriptOf } from '../../src/harness/scenarios/scenario.js';
import { eventsFrom, type Line, linesOf, middleOf } from '../../src/harness/scenarios/transcript.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Probe } from '../../src/harness/wire/probe.js';
import { verifyResult } from '../../src/harness/wire/verify-result.js';
import { BINDINGS, type BindingName } from '../../src/profile/names.js';

const END_MS = 10_000;

interface Place {
  sequence: number;
  cursor: string;
}

/** First, middle and last of what was seen. */
function placesIn(seen: readonly Seen[]): Place[] {
  return [1, middleOf(seen.length), seen.length].flatMap((sequence) => seen[sequence - 1] ?? []);
}

/** Resolves once the reader has come, with everything up to `held`; what it gives waits for the end. */
async function attach(probe: Probe, id: string, from: Place, held: number): Promise<() => Promise<Seen[]>> {
  const session = probe.events?.(id, from.cursor) ?? probe.subscribe(id);
  const whole = async () => {
    await session.until((frames) => frames.some(isTerminalFrame));
    await within(session.ended, END_MS, 'the end of a stream behind its terminal event');
    return seenOf(session, `${probe.binding} live`);
  };
  if (probe.events !== undefined) {
    // A stream that has nothing to tell yet cannot be seen to be open.
    if (from.sequence < held)
      await Promise.race([
        session.until((frames) => (frames.at(-1)?.sequence ?? 0) >= held),
        session.refusal,
      ]);
    return async () => {
      const refusal = await session.refusal;
      if (refusal !== undefined) taskOf(refusal, `events from a cursor on ${probe.binding}`);
      return whole();
    };
  }
  await session.until((frames) => frames.length > 0);
  const pages = from.sequence < held ? await tail(probe, id, from.cursor, `${probe.binding} pages`) : [];
  return async () => [...pages, ...(await whole())];
}

const elsewhere = (other: BindingName) => async (lab: CaseLab) => {
  const scenario = SCENARIOS.completed as Scenario;
  const executor = await lab.executorOfAll();
  const here = executor.probe();
  const there = executor.probe(undefined, undefined, other);
  const expected = expectedOf(scenario, { executor: executor.peer, caller: here.peer });
  const request = lab.script(executor, 'x', scriptOf(scenario));
  const id = String(taskOf(await here.create(request), 'the create').id);
  await untilHeld(executor, here, lab.scriptId('x'), id, expected);

  const shown = taskOf(await there.get(id), `the Task on ${other} while the agent waits`);
  const soFar = placesIn(await tail(here, id, '0', 'so far'));
  // The last one as the Task itself says it.
  const live = [...soFar.slice(0, -1), await place(here, id)];
  const reader = here.subscribe(id);
  await reader.until((frames) => frames.length > 0);
  const readers = await Promise.all(live.map((from) => attach(there, id, from, expected.held)));
  await executor.holds.release(lab.scriptId('x'), HOLD);
  // This one leaves in mid-stream: behind the Task and two events.
  await reader.until((frames) => frames.length > 2);
  reader.close();
  const left = seenOf(reader, 'here')[1] as Seen;
  const resumed = await Promise.all([
    ...readers.map((rest) => rest()),
    resume(there, id, left, `${other} from mid-stream`),
  ]);

  const task = await ended(here, id);
  const log = await tail(here, id, '0', 'the whole log');
  const after = placesIn(log);
  const late = await Promise.all(after.map((from) => resume(there, id, from, `${other} after the end`)));
  const found = taskOf(await there.get(id), `the Task on ${other} after the end`);
  const listed = await there.list?.({ query: { contextId: task.contextId, includeArtifacts: true } });
  lab.expect(
    await verifyResult(resultOf(found) ?? {}, executor.resultKeys),
    `the signed result on ${other} does not verify with a stock JOSE library`,
  );
  lab.evidence('places.json', { live, left, after });

  const plain = new Plain(namesOf(request, task, log), expected.words);
  const events = (seen: readonly Seen[]) => seen.map(({ event }) => plain.event(event));
  const [should, is]: [Line[], Line[]] = [[], []];
  const compare = (what: string, expected: unknown, said: unknown) => {
    lab.attempt();
    should.push({ what, said: expected });
    is.push({ what, said });
  };
  [...live, left].forEach(({ sequence }, at) => {
    const what = `on ${other} behind event ${sequence}, ${at < live.length ? 'live' : 'left in mid-stream'}`;
    compare(what, eventsFrom(expected, sequence), events(resumed[at] ?? []));
  });
  after.forEach(({ sequence }, at) => {
    const what = `on ${other} behind event ${sequence}, after the end`;
    compare(what, eventsFrom(expected, sequence), events(late[at] ?? []));
  });
  compare(`the Task on ${other} while the agent waits`, expected.taskAt(expected.held), plain.task(shown));
  compare(`the Task on ${other} after the end`, expected.taskAt(expected.last), plain.task(found));
  const list = { tasks: [expected.taskAt(expected.last)], nextPageToken: '', totalSize: 1 };
  if (listed !== undefined) compare(`the list on ${other}`, list, plain.list(listed));
  const difference = differenceOf(linesOf(should), linesOf(is));
  lab.expect(difference === undefined, `not what the scenario implies (expected | received): ${difference}`);
};

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-09',
  cases: ({ binding }) =>
    BINDINGS.filter((other) => other !== binding).map((other) => ({
      name: `resumed-on-${other}`,
      estimateMs: 700,
      deadlineMs: 30_000,
      run: elsewhere(other),
    })),
};
