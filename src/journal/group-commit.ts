/**
 * Group commit: while one batch is on its way to the disk the next one gathers, and starts when the acknowledgement
 * returns. No timer: under load batches grow by themselves, at rest a write goes out at once.
 */
import type { Worker } from 'node:worker_threads';
import { StoreUnavailable } from './journal.js';
import { JournalUnusable } from './schema.js';
import { startWriter } from './start-writer.js';
import type { Operation, Results } from './writer.js';
import type { Answer, FromWorker, WorkerData } from './writer-worker.js';

interface Pending {
  operation: Operation;
  bytes: number;
  resolve(value: Results[Operation['kind']]): void;
  reject(error: Error): void;
}

/** What is asked of the writer's thread. */
interface Writing extends Pick<Worker, 'postMessage' | 'terminate'> {
  on(event: 'message', listener: (message: FromWorker) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
}

const MAX_BATCH = 4096;

export class GroupCommit {
  #data: WorkerData;
  readonly #maxQueued: number;
  readonly #committed: (operation: Operation, value: Results[Operation['kind']] | undefined) => void;
  readonly #writing: (data: WorkerData) => Writing;
  #worker: Writing | undefined;
  #queue: Pending[] = [];
  #queuedBytes = 0;
  #inFlight: Pending[] | undefined;
  #scheduled = false;
  #closed = false;
  #idle: (() => void)[] = [];

  /**
   * `committed` is called after the acknowledgement, in commit order, before the writer's promise resolves; without a
   * value where the store failed or the acknowledgement was lost with the thread, so that it may be committed or not.
   */
  constructor(
    data: WorkerData,
    maxQueuedBytes: number,
    committed: (operation: Operation, value: Results[Operation['kind']] | undefined) => void,
    writing: (data: WorkerData) => Writing = startWriter,
  ) {
    this.#writing = writing;
    this.#data = data;
    this.#maxQueued = maxQueuedBytes;
    this.#committed = committed;
  }

  /** Resolves when the store is open; throws JournalUnusable with what is wrong with the file. */
  async open(): Promise<void> {
    await this.#start();
  }

  write<K extends Operation['kind']>(operation: Extract<Operation, { kind: K }>): Promise<Results[K]> {
    const bytes = size(operation);
    if (this.#closed) return Promise.reject(new StoreUnavailable('the journal is closed'));
    if (this.#queuedBytes + bytes > this.#maxQueued) {
      return Promise.reject(new StoreUnavailable('the journal is too far behind'));
    }
    return new Promise<Results[K]>((resolve, reject) => {
      this.#queuedBytes += bytes;
      this.#queue.push({ operation, bytes, resolve: resolve as Pending['resolve'], reject });
      this.#schedule();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#inFlight !== undefined || this.#queue.length > 0) {
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
    await this.#worker?.terminate();
  }

  #schedule(): void {
    if (this.#scheduled || this.#inFlight !== undefined) return;
    this.#scheduled = true;
    // What is written in one turn of the event loop goes out together.
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.#inFlight === undefined) this.#send();
    });
  }

  #send(): void {
    const batch = this.#queue.splice(0, MAX_BATCH);
    if (batch.length === 0) {
      for (const resolve of this.#idle.splice(0)) resolve();
      return;
    }
    for (const { bytes } of batch) this.#queuedBytes -= bytes;
    this.#inFlight = batch;
    if (this.#worker === undefined) {
      this.#start().then(
        (worker) => worker.postMessage(batch.map(({ operation }) => operation)),
        (error: Error) => this.#settle(batch.map(() => unavailable(error.message))),
      );
      return;
    }
    this.#worker.postMessage(batch.map(({ operation }) => operation));
  }

  #settle(answers: readonly Answer[]): void {
    const batch = this.#inFlight ?? [];
    this.#inFlight = undefined;
    batch.forEach((pending, index) => {
      const answer = answers[index] ?? unavailable('no answer');
      if (answer.ok) {
        this.#committed(pending.operation, answer.value);
        pending.resolve(answer.value);
      } else if (answer.store) {
        // Whether a commit that failed stands is the file's to say.
        this.#committed(pending.operation, undefined);
        pending.reject(
          new StoreUnavailable(
            `${this.#data.file}: the journal did not take a write (${answer.code || answer.message})`,
          ),
        );
      } else pending.reject(new Error(`journal: ${answer.message}`));
    });
    this.#send();
  }

  /** Resolves with the thread once it takes batches. */
  #start(): Promise<Writing> {
    const worker = this.#writing(this.#data);
    return new Promise((resolve, reject) => {
      // A thread says more than once that it ends, but a batch has one answer: the second one would be the next batch's.
      let ended = false;
      const lost = (message: string) => {
        if (ended) return;
        ended = true;
        reject(new JournalUnusable(message));
        if (this.#worker !== worker) return;
        this.#worker = undefined;
        if (this.#inFlight === undefined) return;
        this.#settle(this.#inFlight.map(() => unavailable(message)));
      };
      worker.on('message', (message: FromWorker) => {
        if (ended) return;
        if ('answers' in message) this.#settle(message.answers);
        else if ('ready' in message) {
          this.#data = { ...this.#data, identity: message.ready };
          this.#worker = worker;
          resolve(worker);
        } else {
          lost(message.unusable);
          void worker.terminate();
        }
      });
      worker.on('error', (error) => lost(error.message));
      worker.on('exit', () => lost('the writer ended'));
    });
  }
}

function unavailable(message: string): Answer {
  return { ok: false, store: true, code: '', message };
}

/** About what an operation holds in memory, in bytes. */
function size(operation: Operation): number {
  if (operation.kind === 'append') {
    return operation.append.events.reduce(
      (sum, { body, meta }) => sum + body.length + (meta?.length ?? 0),
      256,
    );
  }
  return operation.kind === 'admit' ? operation.admission.task.request.length + 1024 : 512;
}
