/** What the lab offers to suites and subjects: links, taps, processes, hold points, the canary. Implementations stand beside it. */

import type { Authority } from '../../identity/testing/authority.js';
import type { Injector, InjectorProxy } from '../faults/injector.js';
import type { Random } from '../seed.js';

/** A TCP address that can be dialled; `host` is a literal IP address in the lab. */
export interface Address {
  host: string;
  port: number;
}

/** As in Toxiproxy: `upstream` flows from the client to the server, `downstream` back. */
export type Direction = 'upstream' | 'downstream';

/**
 * How a tap ends a connection. `reset`: RST to both ends. `fin`: FIN to both ends. `half-close`: FIN in the counted
 * direction only, the other one flows on. `silence`: both sockets stay open, nothing passes either way any more, nor
 * does a close; `silence-one-way`: the same in the counted direction only.
 */
export type CutKind = 'reset' | 'fin' | 'half-close' | 'silence' | 'silence-one-way';

/** Finds where frames end in one direction of one connection. */
export interface Framer {
  /** Takes the next bytes; returns the offsets in the whole stream, counted from 0, right behind each frame that they complete. */
  push(chunk: Buffer): number[];
}

/**
 * `sse`: one frame per dispatched event of `text/event-stream` bodies in HTTP/1.1 responses, comments (heartbeats) not
 * counted; `websocket`: one frame per text message, whatever its fragments, pings and pongs not counted; `raw`: one frame per chunk as the tap reads it (useful only where a hold point separates the writes).
 */
export type FramerName = 'sse' | 'websocket' | 'raw';

/**
 * Where a cut falls. `{byte: N}`: once N bytes of the direction are delivered; with 0, when its first byte arrives (and
 * is not delivered). `{frame: k}`: right behind the k-th frame, counted from 1. `{answer: N}`: N bytes, 1 or more, before
 * the end of the first plain text of the direction, once all of that is there: under TLS nothing of it can be read then,
 * and whoever sent it had got what it answers. `now`: at once, or once it is accepted.
 */
export type CutPoint =
  | { byte: number }
  | { frame: number; framer: FramerName | (() => Framer) }
  | { answer: number }
  | 'now';

export interface CutPlan {
  kind: CutKind;
  /** Whose bytes are counted. */
  direction: Direction;
  at: CutPoint;
}

/** What became of a cut. */
export interface CutReport {
  /** Index of the connection that was cut, in order of acceptance from 0. */
  connection: number;
  plan: CutPlan;
  /** Bytes of the counted direction that were delivered to its receiver. */
  delivered: number;
  /** The receiver's kernel acknowledged all of them before the cut (reset only; a FIN is in order by itself). */
  flushed: boolean;
  /** Milliseconds since the tap was opened. */
  at_ms: number;
}

export interface ArmedCut {
  /** Waits until the cut happened, at most `deadlineMs`: true when it fell exactly where it was planned. Never throws. */
  verify(deadlineMs?: number): Promise<boolean>;
  /** Set once it happened. */
  readonly report: CutReport | undefined;
  /** Disarms a cut that has not happened, or lifts a silence: what was held back flows on, nothing is lost. */
  clear(): void;
}

export interface WireChunk {
  /** Milliseconds since the tap was opened. */
  at_ms: number;
  direction: Direction;
  /** Of its first byte in the direction. */
  offset: number;
  length: number;
  /** Absent where the recording bound was reached. */
  bytes?: Buffer;
}

export type EndKind = 'open' | 'fin' | 'reset' | 'refused';

export interface TapConnection {
  readonly index: number;
  readonly opened_ms: number;
  /** Bytes received from the sender of each direction, and bytes handed on to its receiver. */
  readonly received: Readonly<Record<Direction, number>>;
  readonly delivered: Readonly<Record<Direction, number>>;
  /** How the client (`upstream`'s sender) and the server (`downstream`'s sender) ended their own half. */
  readonly ended: Readonly<Record<Direction, EndKind>>;
  readonly wire: readonly WireChunk[];
  /** Resolves when both sockets are closed. */
  readonly closed: Promise<void>;
  /** Plans a cut of this very connection. */
  cut(plan: CutPlan): ArmedCut;
  /** The bytes recorded of one direction, concatenated; the gap of a truncated recording is left out. */
  recorded(direction: Direction): Buffer;
  /** The same without TLS, as far as the client logged its secrets. */
  plain(direction: Direction): Buffer;
}

export interface Tap {
  /** Dial this. */
  readonly address: Address;
  readonly connections: readonly TapConnection[];
  /** Arms a cut for the next connection to be accepted, or for the one with this index (past, present or future). */
  arm(plan: CutPlan, connection?: number | 'next'): ArmedCut;
  /** Resolves with the connection of this index as soon as it is accepted; rejects at the deadline. */
  connection(index: number, deadlineMs?: number): Promise<TapConnection>;
  /** Where connections accepted from now on are spliced to. */
  redirect(upstream: Address): void;
  /** Redacted, printable transcript of everything recorded, for evidence. */
  transcript(): string;
  close(): Promise<void>;
}

/** One network path between two peers; only the client's `connect` address changes. */
export interface Link {
  readonly name: string;
  /** `host:port` for a configuration's `connect`. */
  readonly connect: string;
  readonly address: Address;
  readonly upstream: Address;
  readonly tap: Tap;
  /** Puts a Toxiproxy proxy behind the tap on first use; connections accepted from then on pass it. */
  proxy(): Promise<InjectorProxy>;
  /** The injector's name for the verdict, undefined while no proxy was needed. */
  readonly injector: Injector | undefined;
  close(): Promise<void>;
}

export interface ReadyLine {
  ready: true;
  /** Listener name to `host:port` or URL, as the process printed it. */
  listen: Record<string, string>;
  pid: number;
  version: string;
}

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** False when it was killed by a signal that the harness did not send, or ended without being asked to. */
  asked: boolean;
  /** One sentence when not asked: `out of memory`, `killed by SIGKILL that the harness did not send`, `exit code 1`. */
  reason?: string;
}

export interface LabProcess {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  /** Set once it has ended. */
  readonly exit: ProcessExit | undefined;
  /** Redacted last part of stderr, for evidence. */
  stderr(): string;
  /** SIGKILL to this process alone (a crash); resolves when it has ended. */
  kill(): Promise<ProcessExit>;
  /** SIGTERM, then SIGKILL when `graceMs` have passed; resolves when it has ended. */
  stop(graceMs?: number): Promise<ProcessExit>;
  /** SIGSTOP and SIGCONT. */
  pause(): void;
  resume(): void;
  signal(signal: NodeJS.Signals): void;
}

/** A process that printed its ready line. */
export interface LabPeer extends LabProcess {
  readonly ready: ReadyLine;
}

/** A command that prints lines and ends. */
export interface LabCommand extends LabProcess {
  /** Standard output by lines, each at most 1 MiB; ends with the process. One reader. */
  readonly lines: AsyncIterable<string>;
}

export interface ProcessSpec {
  name: string;
  argv: readonly [string, ...string[]];
  cwd?: string;
  /** Set on top of the allow-listed variables of our own environment (PATH, HOME, LANG, TZ, TMPDIR). */
  env?: Readonly<Record<string, string>>;
  /** Until the ready line, default 15 s. */
  readyMs?: number;
  /** Takes everything that it writes to stdout and stderr, as it is: nothing is redacted. */
  output?(bytes: Buffer): void;
}

export interface LedgerEntry {
  case: string;
  [field: string]: unknown;
}

/** The scripted agent's probe folder (docs/agent.md). */
export interface Holds {
  readonly folder: string;
  /** Resolves once the agent waits at this hold point. */
  waiting(caseId: string, name: string, deadlineMs?: number): Promise<void>;
  release(caseId: string, name: string): Promise<void>;
  /** Everything written so far, whole lines only. */
  ledger(caseId?: string): Promise<LedgerEntry[]>;
  /** Resolves with the ledger as soon as `enough(entries)` holds. */
  awaitLedger(
    caseId: string,
    enough: (entries: readonly LedgerEntry[]) => boolean,
    deadlineMs?: number,
  ): Promise<LedgerEntry[]>;
  close(): void;
}

/** Proves that the machine itself was not late: an echo peer in a process of its own on the same host. */
export interface Canary {
  /** Longest echo, in milliseconds, of those that were under way since `sinceMs` (performance.now()). */
  worstSince(sinceMs: number): number;
  /** True when the host was too slow in that time for a missed deadline of this length to mean anything. */
  late(sinceMs: number, deadlineMs: number): boolean;
  close(): Promise<void>;
}

/** Everything that one case made, closed together in reverse order. */
export interface Lab {
  readonly caseId: string;
  readonly seed: string;
  /** A folder of its own, removed on close. */
  readonly folder: string;
  /** Signs the certificates of every peer of this laboratory. */
  authority(): Promise<Authority>;
  random(link: string, direction?: Direction | '', index?: number): Random;
  /** A new link in front of an address; cheap: one listener. */
  link(name: string, upstream: Address): Promise<Link>;
  startPeer(spec: ProcessSpec): Promise<LabPeer>;
  startCommand(spec: ProcessSpec): LabCommand;
  holds(folder: string): Holds;
  /** Runs at close, in reverse order of registration. */
  onClose(what: string, close: () => Promise<void> | void): void;
  /** One sentence per process that ended without being asked to, so far. */
  unaskedExits(): string[];
  /** Name to text: stderr tails and tap transcripts, redacted. */
  evidence(): Record<string, string>;
  close(): Promise<void>;
}
