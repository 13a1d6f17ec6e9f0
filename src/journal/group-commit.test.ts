import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { GroupCommit } from './group-commit.js';
import { StoreUnavailable } from './journal.js';
import type { Operation } from './writer.js';
import type { WorkerData } from './writer-worker.js';

/** A writer's thread that answers and dies when it is told to. */
class Thread extends EventEmitter {
  readonly batches: Operation[][] = [];
  constructor(readonly data: WorkerData) {
    super();
    setImmediate(() => this.emit('message', { ready: 'this journal' }));
  }
  postMessage(batch: Operation[]): void {
    this.batches.push(batch);
    this.emit('asked');
  }
  /** Resolves once a batch is there to be answered. */
  async asked(): Promise<void> {
    if (this.batches.length === 0) await new Promise((resolve) => this.once('asked', resolve));
  }
  answer(): void {
    const batch = this.batches.shift() ?? [];
    this.emit('message', {
      answers: batch.map((operation) => ({
        ok: true,
        value: operation.kind === 'audit' ? operation.draft.at : true,
      })),
    });
  }
  async terminate(): Promise<number> {
    this.emit('exit', 1);
    return 1;
  }
}

describe('group commit', () => {
  it('outlives its thread: a batch without an answer is refused, the next one has a thread and answers of its own', async () => {
    const threads: Thread[] = [];
    const told: unknown[] = [];
    const commit = new GroupCommit(
      { file: 'f' },
      1e6,
      (operation, value) => told.push([operation.kind === 'audit' && operation.draft.at, value]),
      (data) => {
        const thread = new Thread(data);
        threads.push(thread);
        return thread;
      },
    );
    const write = (at: number) => commit.write({ kind: 'audit', draft: { kind: 'refused', at, detail: {} } });
    await commit.open();
    const first = write(1);
    await threads[0]?.asked();
    const second = write(2);
    // As a thread dies: an error, then the exit; in between the next batch is on its way already.
    threads[0]?.emit('error', new Error('out of memory'));
    await assert.rejects(first, StoreUnavailable);
    threads[0]?.emit('exit', 1);
    threads[0]?.answer();
    await threads[1]?.asked();
    assert.deepEqual(
      threads[1]?.batches.map((batch) => batch.map((one) => one.kind === 'audit' && one.draft.at)),
      [[2]],
    );
    threads[1]?.answer();
    assert.equal(await second, 2);
    // The first may be on the disk all the same: whoever waits for it is told to look.
    assert.deepEqual(told, [
      [1, undefined],
      [2, 2],
    ]);
    assert.deepEqual(
      threads.map(({ data }) => data.identity),
      [undefined, 'this journal'],
    );
    await commit.close();
  });

  it('refuses what is on its way when the thread dies while the journal is being closed', async () => {
    const threads: Thread[] = [];
    const commit = new GroupCommit(
      { file: 'f' },
      1e6,
      () => {},
      (data) => {
        const thread = new Thread(data);
        threads.push(thread);
        return thread;
      },
    );
    await commit.open();
    const written = commit.write({ kind: 'probe' });
    await threads[0]?.asked();
    const closed = commit.close();
    threads[0]?.emit('exit', 1);
    await assert.rejects(written, StoreUnavailable);
    await closed;
  });
});
