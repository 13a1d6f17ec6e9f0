/** The one interface of every fault on a link: armed, seen to take, cleared, seen to be gone. */
import type { CutPoint, Direction, Link } from '../lab/ports.js';

/** One declarative line on a case. Each fault names the fields that it needs, and refuses to be armed without them. */
export interface FaultPlan {
  /** Whose bytes are counted, held up or cut; default `downstream`. */
  direction?: Direction;
  /** Arm now, but strike only when `strike()` is called: for a fault at a hold point. */
  later?: boolean;
  /** Tap faults: where to cut, and which connection of the link; default the next one. Without `at`, `later` it is. */
  at?: CutPoint;
  connection?: number | 'next';
  /** `latency` */
  latency_ms?: number;
  jitter_ms?: number;
  /** `bandwidth`: kilobytes (1,000 bytes) a second. */
  rate?: number;
  /** `limit_data`: bytes that pass before the connection is closed. */
  bytes?: number;
  /** `slicer`: average slice, its variation, pause between slices. */
  slice?: number;
  slice_variation?: number;
  slice_delay_us?: number;
  /** `timeout` (0: silence for ever), `reset_peer`, `slow_close`. */
  after_ms?: number;
  /** Part of the connections that Toxiproxy strikes, 0..1, default 1. */
  toxicity?: number;
}

export interface Fault {
  readonly name: string;
  /**
   * Arm before the connection is made: a fault and a connection race otherwise, and a `reset_peer` that comes to a live
   * connection ends it without RST. Throws TypeError when the plan lacks a field.
   */
  arm(link: Link, plan: FaultPlan): Promise<void>;
  /** Lets a fault that was armed with `later` take effect. */
  strike(): Promise<void>;
  /** Did it take? Never throws; false makes the case undetermined. */
  verify(deadlineMs?: number): Promise<boolean>;
  clear(): Promise<void>;
  /** Is the link seen to be whole again after `clear()`? Never throws. */
  gone(deadlineMs?: number): Promise<boolean>;
}

/** Shown by `oab-gate list faults`. */
export interface FaultKind {
  readonly name: string;
  readonly by: 'tap' | 'toxiproxy';
  readonly description: string;
  /** Enough to see it take on an echo peer. */
  readonly example: FaultPlan;
  create(): Fault;
}
