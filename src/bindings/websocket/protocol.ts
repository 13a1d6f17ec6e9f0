/** A protocol in WebSocket text frames, as the connection under it sees it. */
import type { Caller } from '../../executor/service.js';
import type { ProfileError } from '../../profile/errors.js';
import type { Control, Fault, FrameFault } from './frames.js';
import type { Outbox } from './outbox.js';
import type { Id } from './shapes.js';
import type { Credits } from './stream.js';

/** Who asks, once the request has authenticated. */
export interface Asker {
  caller: Caller;
  /** Where the connection came from, for the audit. */
  source: string;
  /** Aborted when the connection has gone. */
  gone: AbortSignal;
}

/** The stream that a request has opened. */
export interface OpenStream {
  outbox: Outbox;
  credits: Credits;
  /** Aborted by its reader, or when the connection has gone. */
  stop: AbortSignal;
  /** Whether it was its reader: who then waits for the end frame. */
  cancelled(): boolean;
}

/** A request that was understood; either throws ProfileError for a refusal, a stream before its first item only. */
export type Work =
  /** To the text of the whole answer. */
  { answer(asker: Asker): Promise<string> } | { follow(asker: Asker, stream: OpenStream): Promise<void> };

export interface Asked {
  id: Id;
  token: string | undefined;
  work: Work;
}

export type Frame = { kind: 'request'; request: Asked } | Control | Fault;

export interface Protocol {
  /** Of the WebSocket; exact. */
  subprotocol: string;
  read(text: string): Frame;
  /** `error`: a refusal, a fault of the framing, or a defect of ours, whose text stays here. */
  errorText(id: Id | null, error: ProfileError | FrameFault | unknown): string;
}
