/** A scenario's task at the point where its agent waits: from there on nothing moves until somebody lets it. */
import { until } from '../lab/deadline.js';
import { place } from '../run/story.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import type { Probe } from '../wire/probe.js';
import type { Expected } from './expected.js';
import { HOLD } from './scenario.js';

const IN_TIME = 15_000;

/** Resolves once what the agent said before it waits is in the log too. `script` is the case that the agent knows. */
export async function untilHeld(
  { holds }: ExecutorSubject,
  probe: Probe,
  script: string,
  taskId: string,
  { held }: Expected,
  deadlineMs = IN_TIME,
): Promise<void> {
  await holds.waiting(script, HOLD, deadlineMs);
  await until(async () => (await place(probe, taskId)).sequence >= held, {
    ms: IN_TIME,
    what: 'what was said before the hold point',
    everyMs: 10,
  });
}
