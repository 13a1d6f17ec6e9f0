/** One call as every A2A binding hands it on: who calls, with which service parameters, with which raw params. */
import type { Caller, DelegationService } from '../../executor/service.js';
import type { ProfileError } from '../../profile/errors.js';
import type { requestFromParams } from '../../profile/message.js';

export interface Call {
  caller: Caller;
  /** Where it came from, for the audit. */
  source: string;
  cursor: string | undefined;
  /** As parsed from the wire, before any codec has dropped or filled anything. */
  params: unknown;
  signal: AbortSignal;
}

/** What the operations stand on. */
export interface OperationParts {
  service: DelegationService;
  /** Interfaces of the card, in the order of preference. */
  interfaces(): { url: string; protocolBinding: string }[];
  /** From the params of a send to the request in it. */
  readCreate: typeof requestFromParams;
}

/** Who is told when a call is not answered with a result. */
export interface CallObserver {
  onRefusal(call: Call, error: ProfileError): void;
  /** What is no refusal but a defect of ours; the wire gets a fixed sentence. */
  onDefect(error: unknown): void;
}
