/**
 * One task's log as it is pieced together from everything that was received of it, by whomever and in whatever order:
 * one event per sequence, one lifecycle, one end, one chain (profile section 4). Constant cost per event.
 */
import { jcs, sha256 } from '../../profile/canonical.js';
import { firstHead, nextHead } from '../../profile/chain.js';
import { canonicalEvent } from '../../profile/event-form.js';
import { isTaskState, isTerminal, mayFollow } from '../../profile/lifecycle.js';
import type { Digest, TaskState } from '../../profile/model.js';
import type { Json } from '../wire/probe.js';
import type { Report } from './finding.js';

/** The default of a card's maxEvents; what is beyond is not judged. */
const MAX_EVENTS = 100_000;
/** Events that wait for one before them, or for the request's digest. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;

interface Kept {
  body: Digest;
  cursor: string | undefined;
  session: string;
  state: TaskState | undefined;
}

/** Where a Task or a page says that the log stands. */
export interface Position {
  sequence: number;
  head?: Digest | undefined;
}

export class TaskLog {
  readonly id: string;
  /** The highest position that anything received has named: what was shown once stays shown. */
  highest = 0;
  readonly #report: Report;
  readonly #events = new Map<number, Kept>();
  readonly #cursors = new Map<string, number>();
  readonly #pending = new Map<number, string>();
  #pendingBytes = 0;
  #overflow = false;
  /** Heads by sequence; [0] is known with the request's digest. */
  readonly #heads: Digest[] = [];
  readonly #snapshots = new Map<number, { state: TaskState | undefined; head: Digest | undefined }>();
  #terminal: number | undefined;

  constructor(id: string, report: Report) {
    this.id = id;
    this.#report = report;
  }

  /** The digest of the request that made the task: with it the chain begins. */
  begin(digest: Digest): void {
    if (this.#heads.length > 0) return;
    this.#heads.push(firstHead(this.id, digest));
    this.#grow();
  }

  /** An event as `session` received it. `cursor` is absent where none was given with it. */
  event(session: string, sequence: number, cursor: string | undefined, json: Json): void {
    const known = this.#events.get(sequence);
    if (known === undefined && this.#events.size >= MAX_EVENTS) return;
    const body = this.#bodyOf(session, sequence, json);
    if (body === undefined) return;
    this.highest = Math.max(this.highest, sequence);
    const digest = sha256(body);
    if (cursor !== undefined) this.#cursors.set(cursor, sequence);
    if (known !== undefined) {
      if (known.body !== digest)
        this.#report(
          'one-log',
          `event ${sequence} of ${this.id} differs between ${known.session} and ${session}`,
        );
      if (known.cursor !== undefined && cursor !== undefined && known.cursor !== cursor)
        this.#report(
          'one-log',
          `event ${sequence} of ${this.id} has two cursors, in ${known.session} and ${session}`,
        );
      known.cursor ??= cursor;
      return;
    }
    const state = stateIn(json);
    this.#events.set(sequence, { body: digest, cursor, session, state });
    if (state !== undefined && isTerminal(state)) this.#ends(sequence);
    this.#pend(sequence, body);
    this.#grow();
  }

  /** A Task that was shown: what it says of the log must be what the log says. */
  snapshot(session: string, state: unknown, { sequence, head }: Position): void {
    const known = this.#snapshots.get(sequence);
    const now = isTaskState(state) ? state : undefined;
    if (known === undefined) {
      if (this.#snapshots.size < MAX_EVENTS) this.#snapshots.set(sequence, { state: now, head });
    } else if (
      known.state !== now ||
      (known.head !== undefined && head !== undefined && known.head !== head)
    ) {
      this.#report(
        'one-log',
        `the Task ${this.id} at ${sequence} was shown as two, the second in ${session}`,
      );
    }
    this.highest = Math.max(this.highest, sequence);
    if (now !== undefined && isTerminal(now)) this.#ends(sequence);
  }

  /** Where a cursor of this task stands, if it was seen; `0` is the beginning. */
  positionOf(cursor: string): number | undefined {
    return cursor === '0' ? 0 : this.#cursors.get(cursor);
  }

  /** The head after this event, once all before it are known. */
  headAt(sequence: number): Digest | undefined {
    return this.#heads[sequence];
  }

  /** What holds only over the whole: called once, when nothing more will come. */
  finish(): void {
    let state: TaskState = 'TASK_STATE_SUBMITTED';
    let contiguous = true;
    let before = 0;
    for (const [sequence, kept] of [...this.#events].sort(([a], [b]) => a - b)) {
      contiguous &&= sequence === before + 1;
      before = sequence;
      if (kept.state !== undefined) {
        if (sequence === 1 && kept.state !== 'TASK_STATE_SUBMITTED')
          this.#report('lifecycle', `event 1 of ${this.id} is ${kept.state}`);
        if (sequence > 1 && !mayFollow(state, kept.state) && !isTerminal(state))
          this.#report('lifecycle', `event ${sequence} of ${this.id} goes from ${state} to ${kept.state}`);
        state = kept.state;
      }
      const shown = this.#snapshots.get(sequence)?.state;
      if (contiguous && shown !== undefined && shown !== state)
        this.#report(
          'one-log',
          `the Task ${this.id} at ${sequence} was shown as ${shown} and its log says ${state}`,
        );
    }
    if (this.#terminal !== undefined && this.highest > this.#terminal)
      this.#report(
        'one-terminal',
        `event ${this.highest} of ${this.id} comes after the terminal event ${this.#terminal}`,
      );
    for (const [sequence, { head }] of this.#snapshots) {
      const own = this.#heads[sequence];
      if (head !== undefined && own !== undefined && head !== own)
        this.#report('chain', `the Task ${this.id} at ${sequence} names a head that its events do not give`);
    }
  }

  #bodyOf(session: string, sequence: number, json: Json): string | undefined {
    try {
      const form = canonicalEvent(json);
      const inner = 'statusUpdate' in form ? form.statusUpdate : form.artifactUpdate;
      if (inner.taskId !== this.id)
        this.#report('one-log', `event ${sequence} of ${this.id} in ${session} is one of ${inner.taskId}`);
      return jcs(form);
    } catch (error) {
      this.#report(
        'one-log',
        `event ${sequence} of ${this.id} in ${session} is no event of a log: ${(error as Error).message}`,
      );
      return undefined;
    }
  }

  /** The terminal event is one, and whoever shows the end shows this one. */
  #ends(sequence: number): void {
    if (this.#terminal !== undefined && this.#terminal !== sequence)
      this.#report('one-terminal', `${this.id} ends twice, at ${this.#terminal} and at ${sequence}`);
    this.#terminal ??= sequence;
  }

  #pend(sequence: number, body: string): void {
    if (this.#overflow) return;
    this.#pending.set(sequence, body);
    this.#pendingBytes += body.length;
    if (this.#pendingBytes <= MAX_PENDING_BYTES) return;
    // The chain of this task stays unjudged from here on; everything else goes on.
    this.#overflow = true;
    this.#pending.clear();
  }

  #grow(): void {
    for (;;) {
      const before = this.#heads.at(-1);
      const sequence = this.#heads.length;
      const body = this.#pending.get(sequence);
      if (before === undefined || body === undefined) return;
      this.#heads.push(nextHead(before, body));
      this.#pending.delete(sequence);
      this.#pendingBytes -= body.length;
    }
  }
}

function stateIn(event: Json): TaskState | undefined {
  const state = ((event.statusUpdate as Json | undefined)?.status as Json | undefined)?.state;
  return isTaskState(state) ? state : undefined;
}
