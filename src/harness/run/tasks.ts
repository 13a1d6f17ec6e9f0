/** How many tasks an executor has of a caller, as the cell's own binding or its subject's own account shows it. */
import { NotExercised } from '../check.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import type { CallOptions, Json, Probe, ProbeAnswer } from '../wire/probe.js';
import { taskOf } from './observe.js';

/** ListTasks, for a case whose criterion has only bindings with a verb for it. */
export async function list(probe: Probe, options: CallOptions & { query?: Json } = {}): Promise<ProbeAnswer> {
  if (probe.list === undefined) throw new Error(`${probe.binding} has no verb that lists tasks`);
  return probe.list(options);
}

/**
 * Of the probe's own caller. By ListTasks; on a binding without it by the audit, in which each decision about a task
 * names it: what was admitted off the record shows by its later rows.
 */
export async function countTasks(executor: ExecutorSubject, probe: Probe): Promise<number> {
  if (probe.list !== undefined) return Number(taskOf(await probe.list(), 'ListTasks').totalSize);
  return new Set((await auditOf(executor, probe)).map(({ taskId }) => taskId)).size;
}

/** Rows that name a task of the probe's caller. */
export async function auditOf(executor: ExecutorSubject, probe: Probe): Promise<Json[]> {
  const rows = await executor.audit?.();
  if (rows === undefined)
    throw new NotExercised(`${probe.binding} has no verb that lists tasks, and the subject shows no audit`);
  return rows.filter(({ peer, taskId }) => peer === probe.peer && typeof taskId === 'string');
}

/** What of the audit speaks against one task at most for each request that made one; rows name both. */
export function requestsTwice(rows: readonly Json[]): string[] {
  const tasks = new Map<string, unknown>();
  return rows.flatMap(({ kind, taskId, detail }) => {
    if (kind !== 'admitted' && kind !== 'rejected') return [];
    const request = String((detail as Json).request_id);
    const known = tasks.get(request);
    tasks.set(request, known ?? taskId);
    return known === undefined
      ? []
      : [`${request} was admitted as ${String(known)} and as ${String(taskId)}`];
  });
}
