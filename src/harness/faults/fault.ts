/** The one interface of every fault: armed on a link, seen to take, cleared, seen to be gone. */
import type { CutPoint, Direction, Link } from '../lab/ports.js';

/** Which part of the lab does it; goes into the evidence. */
export type FaultInjector = 'tap' | 'toxiproxy';

/** One declarative line on a case. Each fault names the fields that it needs and refuses to be armed without them. */
export interface FaultPlan {
  /** Whose bytes are counted, held up or cut; default `downstream`. */
  direction?: Direction;
  /** Arm now, but take effect only when `strike()` is called: for a cut at a hold point. */
  later?: boolean;
  /** Tap faults: where to cut, and which connection of the link, default `next`. */
  at?: CutPoint;
  connection?: number | 'next';
  /** Toxiproxy faults. */
  latency_ms?: number;
  jitter_ms?: number;
  /** Kilobytes (1,000 bytes) a second. */
  rate_kbps?: number;
  /** `limit-data`: bytes that pass before the connection is closed. */
  bytes?: number;
  /** `slicer`: average slice, its variation, pause between slices. */
  slice_bytes?: number;
  slice_variation?: number;
  slice_delay_us?: number;
  /** `timeout` (0 = silence for ever), `reset-peer`, `slow-close`. */
  after_ms?: number;
  /** Part of the connections that are struck, 0..1, default 1. */
  toxicity?: number;
}

export interface Fault {
  readonly name: string;
  /** Arm before the connection is made: a fault and a connection race otherwise. Throws when the plan lacks a field. */
  arm(link: Link, plan: FaultPlan): Promise<void>;
  /** Lets a fault that was armed with `later` take effect. */
  strike(): Promise<void>;
  /** Did it take? Never throws; false makes the case undetermined. */
  verify(deadlineMs?: number): Promise<boolean>;
  clear(): Promise<void>;
  /** Is the link seen to be whole again after `clear()`? Never throws. */
  gone(deadlineMs?: number): Promise<boolean>;
}

/** For `oab-gate list faults`. */
export interface FaultKind {
  readonly name: string;
  readonly description: string;
  readonly injector: FaultInjector;
  create(): Fault;
}
