/** Observation by the book (profile section 4), on raw JSON, for any probe: what every suite builds its histories from. */
import { EXT, KEY } from '../../profile/names.js';
import { Violation } from '../check.js';
import { until, within } from '../lab/deadline.js';
import type { CallOptions, Frame, Json, Probe, ProbeAnswer, Session } from '../wire/probe.js';

/** One event as one session received it. */
export interface Seen {
  session: string;
  sequence: number;
  cursor: string;
  event: Json;
}

const END_MS = 10_000;
const TERMINAL = /^TASK_STATE_(COMPLETED|FAILED|CANCELED|REJECTED)$/;

export function stateOf(task: Json): string {
  return String((task.status as Json | undefined)?.state ?? '');
}

export function positionOf(task: Json): { sequence: number; cursor: string; head: string; turn_id: string } {
  return ((task.metadata as Json | undefined)?.[KEY.event] ?? {}) as ReturnType<typeof positionOf>;
}

export function resultOf(task: Json): Json | undefined {
  return (task.metadata as Json | undefined)?.[KEY.result] as Json | undefined;
}

export function isTerminalFrame({ kind, json }: Frame): boolean {
  return kind === 'status' && TERMINAL.test(stateOf(json.statusUpdate as Json));
}

/** What an executor publishes of itself (profile section 2), from its card or its description. */
export function publishedOf(card: Json): { limits: { maxTaskBytes: number; maxFrameBytes: number } } {
  const { extensions = [] } = (card.capabilities ?? {}) as { extensions?: { uri: string; params: Json }[] };
  const params = card.params ?? extensions.find(({ uri }) => uri === EXT)?.params;
  return params as ReturnType<typeof publishedOf>;
}

/** The result of an answer, or a violation that says what came in its place. */
export function taskOf(answer: ProbeAnswer, what: string): Json {
  if (answer.result === undefined) {
    throw new Violation(
      `${what}: expected a Task, got ${answer.status} ${answer.error?.code ?? ''} ${answer.error?.reason ?? answer.text.slice(0, 200)}`,
    );
  }
  return answer.result;
}

/** Events after a cursor to the end of the log, page by page. */
export async function tail(
  probe: Probe,
  taskId: string,
  from: string,
  session: string,
  options: CallOptions = {},
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let cursor = from; ; ) {
    const task = taskOf(
      await probe.get(taskId, { ...options, cursor }),
      `GetTask with a cursor of ${taskId}`,
    );
    const page = (task.metadata as Json)[KEY.events] as
      | { events: { sequence: number; cursor: string; event: Json }[]; next: string; complete: boolean }
      | undefined;
    if (page === undefined) throw new Violation('an answer to GetTask with a cursor has no EXT/events');
    seen.push(
      ...page.events.map((item) => ({
        session,
        sequence: item.sequence,
        cursor: item.cursor,
        event: item.event,
      })),
    );
    if (page.next === '') return seen;
    if (page.events.length === 0) throw new Violation('a page without events that is not the last');
    cursor = page.next;
  }
}

/** The events of a live session, the leading Task left out. */
export function seenOf(session: Session, name: string): Seen[] {
  return session.frames.flatMap(({ kind, sequence, cursor, json }) =>
    kind === 'task' || sequence === undefined || cursor === undefined
      ? []
      : [{ session: name, sequence, cursor, event: json }],
  );
}

/**
 * Resumes after `last` until the terminal event is had, as the binding has it: by a stream from its cursor, or subscribe
 * first, pages for what was missed, tail at the end.
 */
export async function resume(
  probe: Probe,
  taskId: string,
  last: { sequence: number; cursor: string },
  name: string,
  options: CallOptions = {},
): Promise<Seen[]> {
  if (probe.events !== undefined) {
    const events = probe.events(taskId, last.cursor, options);
    await events.until((frames) => frames.some(isTerminalFrame)).catch(() => undefined);
    const end = await within(events.ended, END_MS, 'the end of a stream behind its terminal event');
    const [strange = await events.refusal.then((refused) => refused?.text)] = events.strange();
    if (end !== 'fin' || strange !== undefined)
      throw new Violation(`a resume ended by ${end}: ${strange?.slice(0, 200) ?? 'not as complete'}`);
    return seenOf(events, `${name} resumed`);
  }
  const session = probe.subscribe(taskId, options);
  const refusal = await session.refusal;
  if (refusal !== undefined) {
    if (refusal.error?.code !== -32004)
      throw new Violation(`a resume was refused: ${refusal.text.slice(0, 200)}`);
    return tail(probe, taskId, last.cursor, `${name} tail`, options);
  }
  await session.until((frames) => frames.some(isTerminalFrame));
  session.close();
  const first = session.frames[0];
  if (first?.kind !== 'task') throw new Violation('the first frame of a subscribe is no Task');
  const at = first.sequence ?? 0;
  const missed = at > last.sequence ? await tail(probe, taskId, last.cursor, `${name} pages`, options) : [];
  return [...missed.filter(({ sequence }) => sequence <= at), ...seenOf(session, `${name} live`)];
}

/** GetTask until the task is in a terminal state. */
export function ended(probe: Probe, taskId: string, deadlineMs = 15_000): Promise<Json> {
  return until(
    async () => {
      const task = taskOf(await probe.get(taskId), 'GetTask');
      return TERMINAL.test(stateOf(task)) && task;
    },
    { ms: deadlineMs, what: `task ${taskId} to end`, everyMs: 15 },
  );
}

/** The last position of what was seen, or the beginning. */
export function lastOf(
  seen: readonly Seen[],
  from: { sequence: number; cursor: string },
): { sequence: number; cursor: string } {
  const last = seen.at(-1);
  return last === undefined ? from : { sequence: last.sequence, cursor: last.cursor };
}
