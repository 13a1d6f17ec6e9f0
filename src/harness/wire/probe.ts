/**
 * What a suite may ask of a subject on any binding. One raw implementation per binding stands beside it and shares no
 * code with the product's bindings: a codec bug on both sides would pass itself.
 */
import type { Address } from '../lab/ports.js';
import type { TokenAbuse } from './identity.js';
import type { WireRequest } from './request.js';

export type Json = Record<string, unknown>;

/** An answer as the binding gives it, reduced to what all bindings have. */
export interface ProbeAnswer {
  /** The result, when it is one. */
  result?: Json;
  /** The refusal, when it is one: A2A code, and `oabReason` or A2A's reason. */
  error?: { code: number; reason: string; retryAfterMs?: number };
  /** `Retry-After` of the transport, where it has one. */
  retryAfter?: string;
  /** HTTP status, or the WebSocket's close code. */
  status: number;
  echoed: boolean;
  /** The whole answer as text, for byte comparisons and evidence. */
  text: string;
}

export interface CallOptions {
  /** Dial here in place of the subject itself: a link. */
  via?: Address;
  deadlineMs?: number;
  /** Replaces the token; null sends none. */
  token?: string | null;
  /** How the token is bent. */
  abuse?: TokenAbuse;
  cap?: readonly string[];
  /** false: do not activate the profile; a string: send that instead. */
  extensions?: false | string;
  version?: string | null;
  cursor?: string;
  /** false: where readers give credit, none is given beyond the first. */
  credit?: boolean;
  /** Further lines, as they are. */
  headers?: Readonly<Record<string, string>>;
}

/** One received stream item; `at` counts items of its session from 0. */
export interface Frame {
  at: number;
  json: Json;
  /** Of `EXT/event`, if the item carries it. */
  sequence?: number;
  cursor?: string;
  kind: 'task' | 'status' | 'artifact' | 'other';
}

/** How a stream came to its end. */
export type StreamEnd = 'fin' | 'reset' | 'cut' | 'refused' | 'closed-by-us';

export interface Session {
  /** Items as they come. */
  readonly frames: Frame[];
  /** The refusal when no stream was opened. */
  readonly refusal: Promise<ProbeAnswer | undefined>;
  readonly ended: Promise<StreamEnd>;
  /** Resolves once `enough(frames)` holds; rejects at the deadline. */
  until(enough: (frames: readonly Frame[]) => boolean, deadlineMs?: number): Promise<void>;
  /** Heartbeats seen so far. */
  heartbeats(): number;
  /** What was on the stream and should not have been. */
  strange(): string[];
  /** Stops reading; the socket stays open. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** For an answer, in ms, where a call names none. */
export const DEADLINE = 15_000;

/** The operation that is none of the binding's own, but comes before all of them where a connection is opened for many. */
export const UPGRADE = 'the upgrade';

export interface Operation {
  name: string;
  /** The status of the answer to whoever does not authenticate. */
  unauthenticated: number;
  call(options: CallOptions): Promise<ProbeAnswer>;
}

export interface Probe {
  readonly binding: string;
  readonly peer: string;
  create(
    request: WireRequest,
    options?: CallOptions & { message?: Json; configuration?: Json; params?: Json },
  ): Promise<ProbeAnswer>;
  /** Create by streaming. */
  createStreaming(request: WireRequest, options?: CallOptions): Session;
  get(taskId: string, options?: CallOptions): Promise<ProbeAnswer>;
  /** Where the binding has a verb for it. */
  list?(options?: CallOptions & { query?: Json }): Promise<ProbeAnswer>;
  cancel(taskId: string, options?: CallOptions): Promise<ProbeAnswer>;
  subscribe(taskId: string, options?: CallOptions): Session;
  /** Every event from behind a cursor to the terminal one, where the binding has a stream of that kind. */
  events?(taskId: string, cursor: string, options?: CallOptions): Session;
  /** What the executor says of itself. */
  card(): Promise<Json>;
  /** The operations of the binding by its own names, each as a call that would be valid for this task. */
  operations(taskId: string, request: WireRequest): Operation[];
}
