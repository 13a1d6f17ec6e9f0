/** The answers of a server of the binding, as they came. */
import { PeerRefusal } from '../../coordinator/connection.js';
import { activates } from '../../profile/card.js';
import { EXTENSIONS_PARAMETER } from '../../profile/names.js';
import { refusal } from '../jsonrpc/answer.js';
import { readShape, serverFrames } from '../websocket/client-frames.js';
import { errorFrame, resultFrame } from './shapes.js';

/** `result` of a frame. */
export interface Answer {
  result: unknown;
  /** It said A2A-Extensions: EXT. */
  echoed: boolean;
}

/** A refusal with the error as it came, for who speaks of it in other words. */
export class RefusedCall extends PeerRefusal {
  constructor(
    { reason, code, transient, retryAfterMs }: PeerRefusal,
    readonly error: { code: number; message: string; data?: Record<string, unknown>[] | undefined },
  ) {
    super(reason, code, transient, retryAfterMs);
  }
}

export const readWssFrame = serverFrames((members) => {
  if (!('error' in members)) {
    const { id, result, serviceParameters = {} } = readShape(resultFrame, members);
    const extensions = Object.entries(serviceParameters).find(
      ([name]) => name.toLowerCase() === EXTENSIONS_PARAMETER.toLowerCase(),
    );
    return { kind: 'result', id, result: { result, echoed: activates(extensions?.[1]) } satisfies Answer };
  }
  const { id, error } = readShape(errorFrame, members);
  return { kind: 'refusal', id, refusal: new RefusedCall(refusal(error), error) };
});
