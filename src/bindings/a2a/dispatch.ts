/** Unary operations through the SDK's JSON-RPC dispatcher, so that its codecs say the same on every binding that has its envelope. */
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { ProfileError } from '../../profile/errors.js';
import type { Call } from './call.js';
import type { Operations } from './operations.js';
import { attachCall, requestHandler } from './request-handler.js';

export interface RpcCall {
  id: string | number;
  method: string;
  params: Record<string, unknown>;
}

/** The answer's envelope; throws ProfileError. */
export function unaryDispatch(
  operations: Operations,
  onDefect: (error: unknown) => void,
): (rpc: RpcCall, call: Call) => Promise<object> {
  const refusals = new WeakMap<Call, ProfileError>();
  // Without state of its own: one serves all requests.
  const dispatcher = new JsonRpcTransportHandler(
    requestHandler(operations, { onRefusal: (call, error) => refusals.set(call, error), onDefect }),
  );
  return async ({ id, method, params }, call) => {
    const context = new ServerCallContext({ requestedVersion: '1.0' });
    attachCall(context, call);
    const { tenant: _tenant, ...rest } = params;
    const answer = await dispatcher.handle({ jsonrpc: '2.0', id, method, params: rest }, context);
    const refusal = refusals.get(call);
    if (refusal !== undefined) throw refusal;
    return answer;
  };
}
