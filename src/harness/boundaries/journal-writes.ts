/** Every write of the executor's journal under a name that says what it makes durable, for stopping at it. */
import type { Admission, Append, EventDraft, Journal } from '../../journal/journal.js';
import { isTerminal } from '../../profile/lifecycle.js';
import { KEY } from '../../profile/names.js';
import type { Stops } from './stops.js';

/** The port's methods that promise something, less those that only wait or end: a new one has no name here and does not compile. */
type Writing = Exclude<
  { [M in keyof Journal]: ReturnType<Journal[M]> extends Promise<unknown> ? M : never }[keyof Journal],
  'wake' | 'close'
>;

type Name<M extends Writing> = (...args: Parameters<Journal[M]>) => string;

export const JOURNAL_WRITES: { readonly [M in Writing]: Name<M> } = {
  admit: ({ events }: Admission) => `admit ${kinds(events)}`,
  append: (_taskId: string, append: Append) => `append ${kinds(append.events)}${columns(append.set)}`,
  trim: () => 'trim',
  audit: ({ kind }) => `audit ${kind}`,
  healthy: () => 'healthy',
};

/** The columns that a write may set; a new one has no name here and does not compile. */
export const COLUMNS: { readonly [C in keyof Required<NonNullable<Append['set']>>]: 'value' | 'name' } = {
  dispatchedAt: 'name',
  cancelRequestedAt: 'name',
  stopCause: 'value',
  process: 'name',
  outcome: 'value',
  terminalAt: 'name',
};

export function instrumentJournal(journal: Journal, stops: Stops): Journal {
  return {
    ...journal,
    admit: (admission) =>
      stops.around(
        JOURNAL_WRITES.admit(admission),
        () => journal.admit(admission),
        (admitted) =>
          'task' in admitted ? { task: admitted.task.taskId, sequence: admitted.task.sequence } : {},
      ),
    append: (taskId, append) =>
      stops.around(
        JOURNAL_WRITES.append(taskId, append),
        () => journal.append(taskId, append),
        ({ kind, task }) => ({ kind, task: taskId, sequence: task.sequence }),
      ),
    trim: (...range) =>
      stops.around(
        JOURNAL_WRITES.trim(...range),
        () => journal.trim(...range),
        (trimmed) => ({ trimmed }),
      ),
    audit: (draft, again) =>
      stops.around(
        JOURNAL_WRITES.audit(draft),
        () => journal.audit(draft, again),
        () => (draft.taskId === undefined ? {} : { task: draft.taskId }),
      ),
    healthy: () =>
      stops.around(
        JOURNAL_WRITES.healthy(),
        () => journal.healthy(),
        (taken) => ({ taken }),
      ),
  };
}

/**
 * `SUBMITTED+REJECTED`, `artifact`, `WORKING message`, `WORKING cancel`; a run of one kind is one. An end is named by
 * its state alone: whether there is an artifact to close before it hangs on how far the agent came.
 */
function kinds(events: readonly EventDraft[]): string {
  const last = events.at(-1);
  if (last !== undefined && isTerminal(last.state) && last.state !== 'TASK_STATE_REJECTED')
    return last.state.replace('TASK_STATE_', '');
  const all = events.map(kind);
  return all.filter((one, index) => one !== all[index - 1]).join('+') || 'nothing';
}

function kind({ body, meta, state }: EventDraft): string {
  const parsed = JSON.parse(body) as {
    artifactUpdate?: { append?: boolean; lastChunk?: boolean };
    statusUpdate?: { status: { message?: unknown } };
  };
  if (parsed.artifactUpdate !== undefined) {
    const { append, lastChunk } = parsed.artifactUpdate;
    return `artifact${append === true ? ' append' : ''}${lastChunk === true ? ' last' : ''}`;
  }
  const cancel = meta?.includes(KEY.cancel) === true ? ' cancel' : '';
  const says = parsed.statusUpdate?.status.message === undefined ? '' : ' message';
  return `${state.replace('TASK_STATE_', '')}${says}${cancel}`;
}

/** ` {stopCause=deadline}` */
function columns(set: Append['set']): string {
  const entries = Object.entries(set ?? {}).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return '';
  const named = entries.map(([name, value]) =>
    COLUMNS[name as keyof typeof COLUMNS] === 'value' ? `${name}=${String(value)}` : name,
  );
  return ` {${named.sort().join(' ')}}`;
}
