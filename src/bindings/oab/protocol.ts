/** The custom OAB protocol over the delegation service: its five verbs, as a connection asks for them (docs/bindings/oab.md). */
import type { parseRequest } from '../../profile/request.js';
import type { ConnectionParts } from '../websocket/connection.js';
import type { Protocol, Work } from '../websocket/protocol.js';
import type { sendItems } from '../websocket/stream.js';
import { followStream } from './follow-stream.js';
import { errorText, readFrame, resultText, type VerbRequest } from './frames.js';
import { SUBPROTOCOL } from './names.js';
import { callVerb } from './verbs.js';

export interface OabParts extends ConnectionParts {
  /** From the params of `create` to the request in it. */
  readRequest: typeof parseRequest;
  sendItems: typeof sendItems;
}

export function oabProtocol(parts: OabParts): Protocol {
  const workOf = ({ id, verb, params }: VerbRequest): Work =>
    verb === 'events'
      ? { follow: ({ caller }, stream) => followStream(parts, caller, { id, params, ...stream }) }
      : {
          answer: async ({ caller }) =>
            resultText(id, await callVerb(parts.service, parts.readRequest, caller, verb, params)),
        };
  return {
    subprotocol: SUBPROTOCOL,
    read(text) {
      const frame = readFrame(text);
      if (frame.kind !== 'verb') return frame;
      const { id, token } = frame.request;
      return { kind: 'request', request: { id, token, work: workOf(frame.request) } };
    },
    errorText,
  };
}
