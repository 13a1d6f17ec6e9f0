/** RPL-17: the chain over what was received equals the signed head, and one event dropped, altered, swapped or injected never passes. */
import { Undetermined } from '../../src/harness/check.js';
import { finished } from '../../src/harness/checkers/history.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, isTerminalFrame, resultOf, seenOf, tail } from '../../src/harness/run/observe.js';
import { AFTER, heldTask, release } from '../../src/harness/run/story.js';
import type { FakeParts } from '../../src/harness/subjects/fake-parts.js';
import type { Story } from '../../src/harness/subjects/fake-story.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { jcs } from '../../src/profile/canonical.js';
import { canonicalEvent } from '../../src/profile/event-form.js';
import { BENDS, type Bend, LIVE } from './bent-logs.js';
import { told } from './told.js';
import { trimmed } from './trimmed-logs.js';

/** An executor that signs an honest log and shows another wherever it is read: contradicted, or refused. */
async function inPages(lab: CaseLab): Promise<void> {
  const bends = new Map<string, Bend>();
  const logs = new Map<Bend, string>();
  const story = (signed: Story): Story => {
    const bend = bends.get(signed.envelope.request_id) as Bend;
    logs.set(bend, jcs(signed.events.map(({ body }) => body)));
    return { ...signed, events: bend(signed.events) };
  };
  // A stream is over with the terminal event: whatever comes behind it is not in any log, and must not be taken for one.
  const passedOver = (name: string, result: Json | undefined, events: unknown[]) =>
    lab.binding === 'OAB' &&
    name === 'last-injected' &&
    result?.observation === 'complete' &&
    jcs(events.map(canonicalEvent)) === logs.get(BENDS[name] as Bend);
  await told(lab, { story }, Object.keys(BENDS), {
    begin: (name, requestId) => void bends.set(requestId, BENDS[name] as Bend),
    endless: (name) => name === 'terminal-dropped',
    judge(name, result, said, events) {
      if (passedOver(name, result, events)) return;
      lab.expect(
        result?.outcome === 'unknown' && result.verified === false,
        `${name}, in the pages: ${said}`,
      );
      const refusals = name === 'terminal-dropped' ? ['NO_TERMINAL'] : ['TERMINAL_MISMATCH'];
      lab.expect(
        result?.observation === 'contradicted'
          ? result.reason === 'LOG_MISMATCH'
          : refusals.includes(String(result?.reason)),
        `${name}, in the pages: ${said}; neither contradicted nor refused`,
      );
    },
  });
}

/** What was bent on its way is read once more, and the log itself does not contradict. */
async function onTheStream(lab: CaseLab): Promise<void> {
  const bends = new Map<string, Bend>();
  const sent = new Map<Bend, string>();
  const live: NonNullable<FakeParts['live']> = (events, { envelope }) => {
    const bend = bends.get(envelope.request_id) as Bend;
    const bent = bend(events);
    sent.set(bend, jcs(bent.map(({ body }) => body)));
    return bent;
  };
  await told(lab, { live }, LIVE, {
    begin: (name, requestId) => void bends.set(requestId, BENDS[name] as Bend),
    judge(name, result, said, events) {
      if (jcs(events.map(canonicalEvent)) !== sent.get(BENDS[name] as Bend))
        throw new Undetermined(`the fault did not take: ${name} was not read from the stream`);
      lab.expect(
        result?.outcome === 'completed' && result.verified === true && result.observation === 'complete',
        `${name}, on the live stream only: ${said}`,
      );
    },
  });
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
    { name: 'pages', estimateMs: 5500, deadlineMs: 60_000, run: inPages },
    { name: 'live', estimateMs: 1500, deadlineMs: 60_000, run: onTheStream },
    { name: 'trimmed', estimateMs: 1500, deadlineMs: 60_000, run: trimmed },
  ],
};
