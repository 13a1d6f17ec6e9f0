/** Checkers over recorded histories: each gives the violations that it found, with their place; none means it holds. */
import { jcs } from '../../profile/canonical.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import { canonicalEvent } from '../../profile/event-form.js';
import { isTaskState, isTerminal, mayFollow } from '../../profile/lifecycle.js';
import type { Digest, TaskState } from '../../profile/model.js';
import type { Seen } from '../run/observe.js';
import type { Json } from '../wire/probe.js';

/** The union of all sessions is 1..last without a hole; `last` is the highest when it is not given. */
export function gapless(seen: readonly Seen[], last?: number): string[] {
  const have = new Set(seen.map(({ sequence }) => sequence));
  const end = last ?? Math.max(0, ...have);
  const missing = range(end).filter((sequence) => !have.has(sequence));
  const beyond = [...have].filter((sequence) => sequence > end || sequence < 1);
  return [
    ...missing.map((sequence) => `event ${sequence} of 1..${end} was never received`),
    ...beyond.map((sequence) => `event ${sequence} is beyond ${end}`),
  ];
}

/** One session delivers in order, each sequence once, without a hole between its first and last. */
export function ordered(seen: readonly Seen[]): string[] {
  return seen.slice(1).flatMap((one, index) => {
    const before = seen[index]?.sequence ?? 0;
    return one.sequence === before + 1 ? [] : [`event ${one.sequence} follows ${before} in ${one.session}`];
  });
}

/** Whoever saw it and wherever, one sequence is one event and one cursor. */
export function identical(seen: readonly Seen[]): string[] {
  const first = new Map<number, { text: string; cursor: string; session: string }>();
  return seen.flatMap(({ sequence, event, cursor, session }) => {
    const text = jcs(canonicalEvent(event));
    const known = first.get(sequence);
    if (known === undefined) {
      first.set(sequence, { text, cursor, session });
      return [];
    }
    if (known.text !== text) return [`event ${sequence} differs between ${known.session} and ${session}`];
    return known.cursor === cursor
      ? []
      : [`event ${sequence} has two cursors, in ${known.session} and ${session}`];
  });
}

/** Exactly one terminal status, and it is the last event. */
export function oneTerminal(seen: readonly Seen[]): string[] {
  const statuses = unique(seen).flatMap(({ sequence, event }) => {
    const state = stateIn(event);
    return state !== undefined && isTerminal(state) ? [sequence] : [];
  });
  const last = Math.max(0, ...seen.map(({ sequence }) => sequence));
  if (statuses.length !== 1) return [`${statuses.length} terminal events (${statuses.join(', ')})`];
  return statuses[0] === last ? [] : [`the terminal event ${statuses[0]} is not the last, ${last}`];
}

/** SUBMITTED, WORKING, one terminal; REJECTED only from SUBMITTED (O-143). */
export function lifecycle(seen: readonly Seen[]): string[] {
  let state: TaskState = 'TASK_STATE_SUBMITTED';
  const violations: string[] = [];
  for (const { sequence, event } of unique(seen)) {
    const next = stateIn(event);
    if (next === undefined) {
      if (isTerminal(state)) violations.push(`event ${sequence} comes after the terminal one`);
      continue;
    }
    if (sequence === 1 && next !== 'TASK_STATE_SUBMITTED') violations.push(`event 1 is ${next}`);
    if (sequence > 1 && !mayFollow(state, next))
      violations.push(`event ${sequence} goes from ${state} to ${next}`);
    state = next;
  }
  return violations;
}

/** The recomputed chain is the head that the envelope signs. */
export function chain(seen: readonly Seen[], envelope: Json): string[] {
  const { last_sequence, head } = envelope.event_log as { last_sequence: number; head: Digest };
  const events = unique(seen);
  if (events.length !== last_sequence)
    return [`the envelope signs ${last_sequence} events, ${events.length} were received`];
  const own = events.reduce<Digest>(
    (before, { event }) => headAfter(before, event),
    firstHead(String(envelope.task_id), envelope.request_digest as Digest),
  );
  return own === head ? [] : ['the recomputed chain is not the signed head'];
}

/** All that holds for any finished history. */
export function finished(seen: readonly Seen[], envelope: Json): string[] {
  const { last_sequence } = envelope.event_log as { last_sequence: number };
  return [
    ...gapless(seen, last_sequence),
    ...identical(seen),
    ...oneTerminal(seen),
    ...lifecycle(seen),
    ...chain(seen, envelope),
  ];
}

/** Each sequence once, in order. */
function unique(seen: readonly Seen[]): Seen[] {
  return [...new Map(seen.map((one) => [one.sequence, one])).values()].sort(
    (a, b) => a.sequence - b.sequence,
  );
}

function stateIn(event: Json): TaskState | undefined {
  const state = ((event.statusUpdate as Json | undefined)?.status as Json | undefined)?.state;
  return isTaskState(state) ? state : undefined;
}

function range(end: number): number[] {
  return Array.from({ length: end }, (_, index) => index + 1);
}
