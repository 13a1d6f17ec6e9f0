/**
 * Following one task to its terminal event over any number of connections: subscribe first, read what was missed by
 * pages, or where the stream itself begins at our cursor from it alone; extend our own chain, store the cursor. Nothing
 * is taken twice and no gap is passed over (section 4).
 */
import { firstHead, headAfter } from '../profile/chain.js';
import { NotAnEvent } from '../profile/event-form.js';
import { isTaskState, isTerminal } from '../profile/lifecycle.js';
import type { Digest, EventBody, EventPosition } from '../profile/model.js';
import { CURSOR_START } from '../profile/names.js';
import { Backoff } from './backoff.js';
import type { CoordinatorConfig } from './config.js';
import { type PeerConnection, PeerRefusal, PeerUnreachable } from './connection.js';
import type { Sink } from './lines.js';
import type { CoordinatorParts } from './parts.js';
import type { Delegation } from './store.js';

export type Followed =
  | {
      kind: 'terminal';
      event: { statusUpdate: { status: unknown; metadata?: Record<string, unknown> } };
      sequence: number;
    }
  | { kind: 'lost'; reason: string };

/** Our own chain: how far it reaches, and where it began. */
interface Place {
  cursor: string;
  sequence: number;
  head: Digest;
  from: number;
  gaps: boolean;
}

export class Follower {
  readonly #config: CoordinatorConfig;
  readonly #parts: CoordinatorParts;
  readonly #connection: PeerConnection;
  readonly #delegation: Delegation & { taskId: string };
  readonly #sink: Sink;
  #place: Place;
  #terminal: Extract<Followed, { kind: 'terminal' }> | undefined;
  /** While the log is read once more, nothing is printed or stored. */
  #silent = false;

  constructor(
    config: CoordinatorConfig,
    parts: CoordinatorParts,
    connection: PeerConnection,
    delegation: Delegation & { taskId: string },
    sink: Sink,
  ) {
    this.#config = config;
    this.#parts = parts;
    this.#connection = connection;
    this.#delegation = delegation;
    this.#sink = sink;
    const { head, cursor, sequence, from, gaps } = delegation;
    this.#place = head === undefined ? this.#beginning() : { cursor, sequence, head, from, gaps };
  }

  get place(): Place {
    return this.#place;
  }

  /** Ends with the terminal event, or when the task cannot be had any more, or when the signal aborts. */
  async follow(signal: AbortSignal): Promise<Followed> {
    const backoff = new Backoff(this.#config.reconnect, this.#parts);
    while (!signal.aborted) {
      const before = this.#place.sequence;
      try {
        await this.#session(signal);
      } catch (error) {
        const refusal = error instanceof PeerRefusal ? error : undefined;
        if (refusal?.reason === 'TASK_NOT_FOUND') return { kind: 'lost', reason: 'TASK_NOT_FOUND' };
        // A place that the executor does not know any more, after a restore of its journal: all is read anew.
        if (refusal?.reason === 'CURSOR_INVALID') this.#place = this.#beginning();
        if (
          refusal === undefined &&
          !(error instanceof PeerUnreachable) &&
          !(error instanceof NotAnEvent) &&
          !signal.aborted
        ) {
          this.#parts.log.warn({ err: error, task: this.#delegation.taskId }, 'observation was interrupted');
        }
      }
      if (this.#terminal !== undefined) return this.#terminal;
      if (this.#place.sequence > before) backoff.reset();
      await backoff.wait(signal);
    }
    return { kind: 'lost', reason: 'NO_TERMINAL' };
  }

  /** Reads the whole log again from its beginning, into a chain of its own; nothing is printed a second time. Gives the terminal event as the pages have it. */
  async reread(signal: AbortSignal): Promise<Extract<Followed, { kind: 'terminal' }> | undefined> {
    this.#place = this.#beginning();
    this.#silent = true;
    this.#terminal = undefined;
    await this.#pages(signal);
    return this.#terminal;
  }

  #beginning(): Place {
    const head = firstHead(this.#delegation.taskId, this.#delegation.requestDigest);
    return { cursor: CURSOR_START, sequence: 0, head, from: 0, gaps: false };
  }

  async #session(signal: AbortSignal): Promise<void> {
    const { taskId } = this.#delegation;
    try {
      for await (const frame of this.#connection.observe(taskId, { signal, from: this.#place })) {
        if ('task' in frame) {
          const at = frame.task.position?.sequence ?? 0;
          // Live frames wait in the connection while what was missed is read.
          if (at > this.#place.sequence) await this.#pages(signal, at);
        } else if ('floor' in frame) {
          this.#beginAt(frame.floor);
        } else {
          if (frame.position.sequence > this.#place.sequence + 1)
            await this.#pages(signal, frame.position.sequence - 1);
          this.#take(frame.event, frame.position);
          this.#store();
        }
        if (this.#terminal !== undefined) return;
      }
    } catch (error) {
      if (!(error instanceof PeerRefusal && error.reason === 'UNSUPPORTED_OPERATION')) throw error;
      // It has ended: what is missing is in the tail (D-9).
      await this.#pages(signal);
    }
  }

  /** Everything after our place, at the latest to `upTo`; throws when the cursor was not seen on the other side. */
  async #pages(signal: AbortSignal, upTo = Number.MAX_SAFE_INTEGER): Promise<void> {
    while (this.#place.sequence < upTo) {
      const { page, position } = await this.#connection.get(this.#delegation.taskId, this.#place.cursor, {
        signal,
      });
      if (page === undefined) throw new PeerUnreachable('the cursor was not seen: an answer without events');
      if (!page.complete && page.floor !== undefined && page.floor.sequence > this.#place.sequence) {
        this.#beginAt(page.floor);
      }
      const before = this.#place.sequence;
      for (const { event, sequence, cursor } of page.events) {
        this.#take(event, { turn_id: position?.turn_id ?? '', sequence, cursor });
      }
      this.#store();
      if (page.next === '') return;
      if (this.#place.sequence === before) throw new PeerUnreachable('a page without progress');
    }
  }

  /** Trimmed: said, never skipped in silence. From here on the chain starts at the floor. */
  #beginAt({ sequence, head }: { sequence: number; head: Digest }): void {
    const gaps = this.#place.gaps || this.#place.sequence > 0;
    this.#place = { ...this.#place, sequence, head, from: sequence, gaps };
  }

  #take(event: EventBody, { sequence, cursor }: EventPosition): void {
    if (sequence <= this.#place.sequence) return;
    if (sequence !== this.#place.sequence + 1)
      throw new PeerUnreachable(`event ${sequence} after ${this.#place.sequence}`);
    this.#place = { ...this.#place, cursor, sequence, head: headAfter(this.#place.head, event) };
    if (!this.#silent) {
      const { requestId, taskId } = this.#delegation;
      this.#sink({
        type: 'event',
        request_id: requestId,
        task_id: taskId,
        sequence,
        cursor,
        unverified: true,
        event,
      });
    }
    if ('statusUpdate' in event) {
      const { state } = event.statusUpdate.status;
      if (isTaskState(state) && isTerminal(state)) this.#terminal = { kind: 'terminal', event, sequence };
    }
  }

  /**
   * After it was printed: a crash in between may print a line twice, and loses none. The terminal event is not passed
   * over in the store before the result is: whoever comes back reads it again, and judges it again.
   */
  #store(): void {
    if (this.#silent || this.#terminal !== undefined) return;
    const { cursor, sequence, head, from, gaps } = this.#place;
    this.#parts.store.update(this.#delegation.requestId, { cursor, sequence, head, from, gaps });
  }
}
