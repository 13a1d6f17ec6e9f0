/** The usual scripted tasks of the suites, and what must follow from them. */

import { until } from '../lab/deadline.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import type { Json, Probe } from '../wire/probe.js';
import type { WireRequest } from '../wire/request.js';
import type { CaseLab } from './case-lab.js';
import { positionOf, taskOf } from './observe.js';

export interface Started {
  taskId: string;
  request: WireRequest;
  /** The hold point that the script waits at. */
  held: string;
  script: string;
  task: Json;
}

const HOLD = 'go';
/** SUBMITTED, WORKING, one chunk. */
const BEFORE_HOLD = 3;

/** A task that says a little, waits at a hold point, then says `more` and ends. Resolves once it waits there. */
export async function heldTask(
  lab: CaseLab,
  executor: ExecutorSubject,
  probe: Probe,
  part: string,
  more: readonly string[],
  request: Record<string, unknown> = {},
): Promise<Started> {
  const made = lab.script(executor, part, ['say before', `hold ${HOLD}`, ...more], request);
  const task = taskOf(await probe.create(made), 'the create');
  const script = lab.scriptId(part);
  await executor.holds.waiting(script, HOLD);
  // What the agent said before it waited is in the log too: from here on nothing moves until it is released.
  await until(async () => (await place(probe, String(task.id))).sequence >= BEFORE_HOLD, {
    ms: 15_000,
    what: 'what was said before the hold point',
    everyMs: 10,
  });
  return { taskId: String(task.id), request: made, held: HOLD, script, task };
}

/** After the hold point: chunks, a tool call, a little more. Every kind of event, in a known number. */
export const AFTER = [
  'chunks 6 of 120',
  'tool read README.md',
  'say after the tool',
  'plan one; two',
  'image',
] as const;

export async function release(executor: ExecutorSubject, { script, held }: Started): Promise<void> {
  await executor.holds.release(script, held);
}

/** Where a task stands now. */
export async function place(probe: Probe, taskId: string): Promise<{ sequence: number; cursor: string }> {
  const { sequence, cursor } = positionOf(taskOf(await probe.get(taskId), 'GetTask'));
  return { sequence, cursor };
}

/** The beginning of every log. */
export const START = { sequence: 0, cursor: '0' };
