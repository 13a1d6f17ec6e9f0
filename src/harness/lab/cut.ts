/** One planned cut: knows where it falls in the byte stream, and what became of it. */
import { within } from './deadline.js';
import { createAnswerFinder, createFrameFinder, type FrameFinder } from './frame-finder.js';
import type { ArmedCut, CutPlan, CutReport, Direction, TapConnection } from './ports.js';

/** What the splice needs of a cut. */
export interface Cut extends ArmedCut {
  readonly plan: CutPlan;
  /**
   * Shows the cut the next bytes of its direction. Returns how many of them may pass before it falls, or undefined when
   * all of them may.
   */
  limit(chunk: Buffer): number | undefined;
  /** Shows it the next bytes of the other direction, without which the frames of a TLS connection cannot be told. */
  see(direction: Direction, chunk: Buffer): void;
  /** The splice has begun to take it; nothing passes from here on. */
  take(): void;
  done(report: CutReport): void;
  /** It can never fall where it was planned. */
  miss(): void;
  readonly state: 'armed' | 'taking' | 'done' | 'missed' | 'cleared';
  attach(connection: TapConnection, onClear: () => void): void;
}

const DEADLINE_MS = 10_000;

export function createCut(plan: CutPlan): Cut {
  const { at } = plan;
  if (at !== 'now' && 'byte' in at && !(Number.isSafeInteger(at.byte) && at.byte >= 0)) {
    throw new RangeError(`a cut falls behind a whole number of bytes, not ${at.byte}`);
  }
  if (at !== 'now' && 'frame' in at && !(Number.isSafeInteger(at.frame) && at.frame >= 1)) {
    throw new RangeError(`frames are counted from 1, not ${at.frame}`);
  }
  if (at !== 'now' && 'answer' in at && !(Number.isSafeInteger(at.answer) && at.answer >= 1)) {
    throw new RangeError(`of an answer one byte or more is withheld, not ${at.answer}`);
  }
  const finder = finderOf(plan);
  let seen = 0;
  let frames = 0;
  let state: Cut['state'] = 'armed';
  let report: CutReport | undefined;
  let connection: TapConnection | undefined;
  let onClear = () => {};
  let lifted = false;
  let settle = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });

  /** Offset in the stream at which it falls, once that is known. */
  function target(chunk: Buffer): number | undefined {
    if (at === 'now') return seen;
    if ('byte' in at) return at.byte;
    const ends = finder?.push(plan.direction, chunk) ?? [];
    const found = ends[('frame' in at ? at.frame : 1) - 1 - frames];
    frames += ends.length;
    return found;
  }

  return {
    plan,
    get report() {
      return report;
    },
    get state() {
      return state;
    },
    limit(chunk) {
      const falls = target(chunk);
      const before = seen;
      seen += chunk.length;
      return falls === undefined || falls > seen ? undefined : falls - before;
    },
    see(direction, chunk) {
      finder?.push(direction, chunk);
    },
    take() {
      state = 'taking';
    },
    done(final) {
      state = 'done';
      report = final;
      settle();
    },
    miss() {
      state = 'missed';
      settle();
    },
    attach(to, clear) {
      connection = to;
      onClear = clear;
    },
    async verify(deadlineMs = DEADLINE_MS) {
      try {
        await within(settled, deadlineMs, 'the cut');
      } catch {
        // Not in time: it did not take.
        return false;
      }
      if (state !== 'done' || report === undefined || connection === undefined) return false;
      // A silence that was lifted again has let bytes through since; it was exact while it lasted.
      const held = lifted || connection.delivered[plan.direction] === report.delivered;
      return report.flushed && held;
    },
    clear() {
      if (state === 'armed') {
        state = 'cleared';
        settle();
      }
      lifted = true;
      onClear();
    },
  };
}

function finderOf({ at, direction }: CutPlan): FrameFinder | undefined {
  if (at === 'now' || 'byte' in at) return undefined;
  return 'answer' in at ? createAnswerFinder(direction, at.answer) : createFrameFinder(direction, at.framer);
}
