/**
 * Everything that one executor subject was asked and answered in one case, checked as it comes: what is kept per event
 * is a digest, so a history costs the same however often it is read, and memory does not grow with observers.
 */
import type { Digest } from '../../profile/model.js';
import { KEY } from '../../profile/names.js';
import type { LedgerEntry } from '../lab/ports.js';
import type { Json } from '../wire/probe.js';
import type { Canaries } from './canaries.js';
import { Creations } from './creations.js';
import type { Report } from './finding.js';
import { Prompts } from './prompts.js';
import { type Asked, Results } from './results.js';
import { TaskLog } from './task-log.js';

export interface SubjectNames {
  /** As findings name it. */
  name: string;
  peer: string;
  /** For how long it keeps a reservation at least. */
  windowMs: number;
}

interface Page {
  events: { sequence: number; cursor: string; event: Json }[];
  next: string;
  complete: boolean;
  floor?: { sequence: number; head: Digest };
}

export class SubjectHistory {
  readonly names: SubjectNames;
  readonly #report: Report;
  readonly #canaries: Canaries;
  readonly #logs = new Map<string, TaskLog>();
  readonly #asked = new Map<string, Asked>();
  readonly #creations: Creations;
  readonly #results: Results;
  readonly #prompts: Prompts;

  constructor(names: SubjectNames, report: Report, canaries: Canaries) {
    this.names = names;
    this.#report = report;
    this.#canaries = canaries;
    this.#creations = new Creations(report, names.windowMs);
    this.#results = new Results(report, names.peer);
    this.#prompts = new Prompts(report);
  }

  /** How far this task was shown by now; a read that begins now must show as much. */
  floor(taskId: string | undefined): number {
    return (taskId === undefined ? undefined : this.#logs.get(taskId)?.highest) ?? 0;
  }

  /** Where a cursor of this task stands, if it was seen. */
  positionOf(taskId: string | undefined, cursor: string): number | undefined {
    return taskId === undefined ? undefined : this.#log(taskId).positionOf(cursor);
  }

  taskOf(caller: string, requestId: string): string | undefined {
    return this.#creations.taskOf(caller, requestId);
  }

  /** A create is sent; what comes of it is told by `created`. */
  sent(caller: string, requestId: string, task: string): void {
    this.#prompts.sent(caller, requestId, task);
  }

  /** Text that `principals` received, whatever it is. */
  received(principals: readonly string[], where: string, text: string): void {
    this.#canaries.received(principals, where, text, this.#report);
  }

  /** A create was answered with a Task. `at` in ms. */
  created(asked: Asked, task: Json, at: number): void {
    const id = String(task.id);
    this.#creations.answered(asked.caller, asked.requestId, asked.digest, id, at);
    const before = this.#asked.get(id);
    // Each create of it may have carried another bound: whichever made the task, its authority is within their union.
    const cap =
      before === undefined
        ? asked.cap
        : before.cap && asked.cap && [...new Set([...before.cap, ...asked.cap])];
    this.#asked.set(id, { ...(before ?? asked), cap });
    const { digest } = this.#asked.get(id) ?? asked;
    if (digest !== undefined) this.#log(id).begin(digest as Digest);
  }

  /** A Task; `floor` is how far it had been shown when it was asked for. */
  task(session: string, task: Json, floor = 0): void {
    if (typeof task.id !== 'string') return;
    const log = this.#log(task.id);
    const metadata = (task.metadata ?? {}) as Json;
    const state = (task.status as Json | undefined)?.state;
    const position = metadata[KEY.event] as
      | { sequence: number; head?: Digest; effective_capabilities?: string[] }
      | undefined;
    if (position !== undefined && Number.isSafeInteger(position.sequence)) {
      if (position.sequence < floor)
        this.#report(
          'order',
          `${task.id} was at ${floor} and is shown at ${position.sequence}, in ${session}`,
        );
      log.snapshot(session, state, position);
      this.#results.authority(task.id, position.effective_capabilities, this.#asked.get(task.id));
    }
    this.#result(session, task.id, metadata, state);
  }

  /** One event with its own place, as a stream or a page gives it. */
  event(
    session: string,
    taskId: string,
    place: { sequence: number; cursor?: string | undefined },
    event: Json,
  ): void {
    if (!Number.isSafeInteger(place.sequence) || place.sequence < 1) return;
    this.#log(taskId).event(session, place.sequence, place.cursor, event);
    const update = (event.statusUpdate ?? event.artifactUpdate) as Json | undefined;
    const metadata = (update?.metadata ?? {}) as Json;
    const { effective_capabilities } = (metadata[KEY.event] ?? {}) as { effective_capabilities?: string[] };
    this.#results.authority(taskId, effective_capabilities, this.#asked.get(taskId));
    this.#result(session, taskId, metadata, (update?.status as Json | undefined)?.state);
  }

  /** A page of events beside its Task: nothing between the cursor and its end is left out. */
  page(session: string, task: Json, cursor: string): void {
    const page = ((task.metadata ?? {}) as Json)[KEY.events] as Page | undefined;
    if (page === undefined || !Array.isArray(page.events) || typeof task.id !== 'string') return;
    const log = this.#log(task.id);
    const from = log.positionOf(cursor);
    const at = ((task.metadata as Json)[KEY.event] as { sequence?: number } | undefined)?.sequence;
    const trimmed = page.complete ? 0 : (page.floor?.sequence ?? 0);
    let before = from === undefined ? undefined : Math.max(from, trimmed);
    for (const { sequence, cursor: own, event } of page.events) {
      if (before !== undefined && sequence !== before + 1)
        this.#report(
          'order',
          `event ${sequence} of ${task.id} follows ${before} in ${session}, a page from ${cursor}`,
        );
      before = sequence;
      this.event(session, task.id, { sequence, cursor: own }, event);
    }
    if (page.next === '' && at !== undefined && before !== undefined && before !== at)
      this.#report(
        'order',
        `the last page of ${task.id} ends at ${before} beside a Task at ${at}, in ${session}`,
      );
    const head = page.floor && log.headAt(page.floor.sequence);
    if (head !== undefined && head !== page.floor?.head)
      this.#report(
        'chain',
        `the floor of ${task.id} at ${page.floor?.sequence} names a head that its events do not give`,
      );
  }

  /** A signed result that was received without its Task. */
  envelope(session: string, taskId: string, envelope: Json): void {
    this.#result(session, taskId, { [KEY.result]: envelope }, undefined);
  }

  /** What holds only over the whole; `ledger` is its agent's own, where it has one. */
  finish(ledger: readonly LedgerEntry[] = []): void {
    this.#prompts.finish(ledger, (request) => this.#creations.made(request));
    for (const log of this.#logs.values()) log.finish();
    this.#results.finish(
      (id) => this.#logs.get(id),
      (id) => this.#asked.get(id),
    );
  }

  #result(session: string, taskId: string, metadata: Json, state: unknown): void {
    const envelope = metadata[KEY.result] as Json | undefined;
    if (typeof envelope !== 'object' || envelope === null) return;
    this.#results.seen(session, taskId, envelope, state);
    // Who never saw the create learns from the result where the chain begins.
    if (typeof envelope.request_digest === 'string')
      this.#log(taskId).begin(envelope.request_digest as Digest);
  }

  #log(taskId: string): TaskLog {
    let log = this.#logs.get(taskId);
    if (log === undefined) {
      log = new TaskLog(taskId, this.#report);
      this.#logs.set(taskId, log);
    }
    return log;
  }
}
