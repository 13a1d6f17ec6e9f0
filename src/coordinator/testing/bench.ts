/** A coordinator over a real store and a fake peer, on a clock that jumps to whatever is waited for next. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acceptResult } from '../../profile/acceptance.js';
import type { ResultKey } from '../../profile/envelope.js';
import { observation } from '../../profile/observation.js';
import { silentLog } from '../../telemetry/log.js';
import type { CoordinatorConfig } from '../config.js';
import { type Coordinator, createCoordinator } from '../coordinator.js';
import type { DelegateInput } from '../intend.js';
import type { Line, ResultLine } from '../lines.js';
import type { CoordinatorParts } from '../parts.js';
import { openStore, type Store } from '../store.js';
import { FakePeer } from './fake-peer.js';

export const NEVER = new AbortController().signal;

export const CONFIG: CoordinatorConfig = {
  peer: 'oab-a',
  peers: [{ peer: 'oab-b', capabilities: ['repo:read'], endToEnd: true }],
  reconnect: { floorMs: 100, ceilingMs: 5000 },
  clockSkewMs: 30_000,
};

export const QUESTION: DelegateInput & { requestId: string } = {
  requestId: 'req-1',
  peer: 'oab-b',
  task: 'count the files',
  capabilities: ['repo:read'],
  deadlineMs: 60_000,
  maxOutputBytes: 4096,
};

/** Waits end in the order of their times, each as soon as nothing else can go on. */
export class JumpingClock {
  #now = Date.parse('2026-12-01T00:00:00.000Z');
  #waiting: { at: number; go: () => void }[] = [];
  #jumping = false;

  now = (): number => this.#now;
  pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const go = () => {
        signal.removeEventListener('abort', go);
        this.#waiting = this.#waiting.filter((one) => one !== wait);
        resolve();
      };
      const wait = { at: this.#now + ms, go };
      this.#waiting.push(wait);
      signal.addEventListener('abort', go);
      this.#jump();
    });

  /** Time that passes while nobody waits. */
  pass(ms: number): void {
    this.#now += ms;
  }

  #jump(): void {
    if (this.#jumping) return;
    this.#jumping = true;
    // After everything that can go on without time has gone on.
    setImmediate(() =>
      setImmediate(() => {
        this.#jumping = false;
        this.#waiting.sort((a, b) => a.at - b.at);
        const [next] = this.#waiting;
        if (next === undefined) return;
        this.#now = Math.max(this.#now, next.at);
        next.go();
        if (this.#waiting.length > 0) this.#jump();
      }),
    );
  }
}

export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'oab-coordinator-'));
  readonly clock = new JumpingClock();
  peer = new FakePeer();
  store: Store = openStore(join(this.folder, 'coordinator.db'));
  config: CoordinatorConfig = CONFIG;
  resultKey: ResultKey | undefined = {
    key: this.peer.pair.publicKey,
    notBefore: 0,
    state: 'active',
  };
  /** The lines of the delegation that was followed last. */
  lines: Line[] = [];
  sink = (line: Line): void => void this.lines.push(line);
  #minted = 0;

  coordinator(change: Partial<CoordinatorParts> = {}): Coordinator {
    return createCoordinator(this.config, {
      store: this.store,
      connect: () => this.peer.connect(),
      resultKey: (_peer, kid) => (kid === this.peer.kid ? this.resultKey : undefined),
      accept: acceptResult,
      observation,
      log: silentLog,
      now: this.clock.now,
      monotonic: this.clock.now,
      pause: this.clock.pause,
      random: () => 0.5,
      mint: (kind) => {
        this.#minted += 1;
        return `${kind}-${String(this.#minted).padStart(16, '0')}`;
      },
      ...change,
    });
  }

  delegate(more: Partial<DelegateInput> = {}): Promise<ResultLine> {
    this.lines = [];
    return this.coordinator().delegate({ ...QUESTION, ...more }, this.sink, NEVER);
  }

  sequences(): number[] {
    return this.lines.flatMap((line) => (line.type === 'event' ? [line.sequence] : []));
  }

  close(): void {
    this.store.close();
    rmSync(this.folder, { recursive: true });
  }
}
