/** One observed stream into its subject's history: the Task at n, then n+1 and so on without a hole (profile section 4). */
import type { Json } from '../wire/probe.js';
import type { Report } from './finding.js';
import type { SubjectHistory } from './subject-history.js';

/** A stream item with the place that it claims; what has no place is not part of a log. */
export interface Item {
  json: Json;
  sequence?: number | undefined;
  cursor?: string | undefined;
}

/**
 * Takes the items of one stream, one after the other. `floor`: how far its task had been shown when it was asked for;
 * `from`: the position that it was asked to go on from, where the binding has that.
 */
export function streamOrder(
  history: SubjectHistory,
  report: Report,
  session: string,
  { floor = 0, from }: { floor?: number; from?: number | undefined } = {},
): (item: Item) => void {
  let before = from;
  return ({ json, sequence, cursor }) => {
    if ('task' in json) {
      history.task(session, json.task as Json, floor);
      before ??= sequence;
      return;
    }
    const update = (json.statusUpdate ?? json.artifactUpdate) as { taskId?: unknown } | undefined;
    if (update === undefined || sequence === undefined) return;
    if (before !== undefined && sequence !== before + 1)
      report('order', `event ${sequence} of ${String(update.taskId)} follows ${before} in ${session}`);
    before = sequence;
    history.event(session, String(update.taskId), { sequence, cursor }, json);
  };
}
