/** The A2A binding over WebSocket: the eleven operations, as a connection asks for them (docs/bindings/wss.md). */
import type { Call, OperationParts } from '../a2a/call.js';
import { unaryDispatch } from '../a2a/dispatch.js';
import { operations } from '../a2a/operations.js';
import type { checkNegotiated } from '../http/negotiation.js';
import type { ConnectionParts } from '../websocket/connection.js';
import type { Asker, Protocol, Work } from '../websocket/protocol.js';
import type { sendItems } from '../websocket/stream.js';
import { followStream } from './follow-stream.js';
import { errorText, type MethodCall, readFrame } from './frames.js';
import { ECHO, SUBPROTOCOL } from './names.js';

export interface WssParts extends ConnectionParts, OperationParts {
  /** Throws NOT_NEGOTIATED; asked before every operation. */
  checkNegotiated: typeof checkNegotiated;
  sendItems: typeof sendItems;
}

export function wssProtocol(parts: WssParts): Protocol {
  const ops = operations(parts);
  const dispatch = unaryDispatch(ops, (error) =>
    parts.log.error({ err: error }, 'a call failed by a defect of ours'),
  );
  const callBy = ({ params, cursor }: MethodCall, { caller, source }: Asker, signal: AbortSignal): Call => ({
    caller,
    source,
    cursor,
    params,
    signal,
  });
  const workOf = (asked: MethodCall): Work => {
    const { id, method } = asked;
    if (method !== 'SubscribeToTask' && method !== 'SendStreamingMessage')
      return {
        async answer(asker) {
          const answer = await dispatch(asked, callBy(asked, asker, asker.gone));
          return JSON.stringify({ ...answer, serviceParameters: ECHO });
        },
      };
    // Past the SDK's dispatcher: it would decode and encode every event anew.
    const open = method === 'SubscribeToTask' ? ops.subscribe : ops.sendStreaming;
    return {
      follow: (asker, stream) =>
        followStream(parts, id, () => open(callBy(asked, asker, stream.stop)), stream),
    };
  };
  return {
    subprotocol: SUBPROTOCOL,
    read(text) {
      const frame = readFrame(text, parts.checkNegotiated);
      if (frame.kind !== 'call') return frame;
      const { call, token } = frame;
      return { kind: 'request', request: { id: call.id, token, work: workOf(call) } };
    },
    errorText,
  };
}
