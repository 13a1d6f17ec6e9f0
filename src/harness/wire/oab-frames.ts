/** Frames of the OAB protocol as the probe receives them, and what in them no peer of docs/bindings/oab.md sends. */
import { EXT } from '../../profile/names.js';
import { parsedFrame } from './frame-call.js';
import { fromOabTask } from './oab-json.js';
import type { Json, ProbeAnswer } from './probe.js';

const TASK = [
  ...['task_id', 'context_id', 'turn_id', 'status', 'artifacts', 'sequence', 'cursor', 'head'],
  ...['effective_capabilities', 'deadline_at'],
];
const TASK_MAYBE = ['cancel_requested_at', 'result'];
const ITEM = ['turn_id', 'sequence', 'cursor', 'event'];
const ITEM_MAYBE = ['owner', 'effective_capabilities', 'deadline_at', ...TASK_MAYBE];

/** An answer; a task that is none of the protocol's is no result, and the reason says why. */
export function answerOfFrame(text: string, expected: 'task' | 'anything' = 'anything'): ProbeAnswer {
  const { result, error } = parsedFrame(text) as {
    result?: Json;
    error?: { code: number; data?: { reason?: string; retry_after_ms?: number } };
  };
  const common = { status: 200, echoed: true, text };
  if (error !== undefined) {
    const retry = error.data?.retry_after_ms;
    return {
      ...common,
      error: {
        code: error.code,
        reason: error.data?.reason ?? '',
        ...(retry === undefined ? {} : { retryAfterMs: retry }),
      },
    };
  }
  if (result === undefined) return common;
  const [strange] = expected === 'task' ? members('a task', result, TASK, TASK_MAYBE) : [];
  if (strange !== undefined) return { ...common, error: { code: 0, reason: strange } };
  return { ...common, result: fromOabTask(result) };
}

/** Why an item of a stream is none, in words. */
export function strangeInItem(item: Json): string[] {
  if ('floor' in item) return members('a gap', item, ['floor'], []);
  const { event } = item as { event?: { statusUpdate?: Json; artifactUpdate?: Json } };
  const update = event?.statusUpdate ?? event?.artifactUpdate;
  const names = Object.keys({
    ...(update?.metadata as Json | undefined),
    ...((update?.artifact as Json | undefined)?.metadata as Json | undefined),
  });
  return [
    ...members('an item', item, ITEM, ITEM_MAYBE),
    ...names.filter((name) => name.startsWith(EXT)).map((name) => `an event with ${name}`),
  ];
}

function members(what: string, json: Json, needed: readonly string[], maybe: readonly string[]): string[] {
  return [
    ...needed.filter((name) => !(name in json)).map((name) => `${what} without ${name}`),
    ...Object.keys(json)
      .filter((name) => !needed.includes(name) && !maybe.includes(name))
      .map((name) => `${what} with ${name}`),
  ];
}
