/** The JSON-RPC binding (A2A 9) on node:http: the order of refusals is the profile's, the dispatch is the SDK's. */
import { ProfileError } from '../../profile/errors.js';
import { unaryDispatch } from '../a2a/dispatch.js';
import { operations } from '../a2a/operations.js';
import type { Route } from '../http/listener.js';
import { type HttpParts, serveCalls } from '../http/serve-calls.js';
import { type Envelope, errorText, RpcFault, readEnvelope, resultFrame } from './envelope.js';

export function jsonRpcRoute(parts: HttpParts, path: string): Route {
  const ops = operations(parts);
  const dispatch = unaryDispatch(ops, (error) =>
    parts.log.error({ err: error }, 'a call failed by a defect of ours'),
  );

  const serve = serveCalls<Envelope>(parts, {
    contentType: 'application/json',
    read: (_request, body) => readEnvelope(body),
    async run({ id, method, params }, call) {
      // Past the SDK's dispatcher: it would decode and encode every event anew, and drop the activation echo.
      if (method === 'SubscribeToTask') return ops.subscribe(call);
      if (method === 'SendStreamingMessage') return ops.sendStreaming(call);
      const rpc = { id: id as string | number, method, params: params as Record<string, unknown> };
      return JSON.stringify(await dispatch(rpc, call));
    },
    frame: ({ id }) => resultFrame(id),
    refused: (error, asked) => ({
      status: statusOf(error),
      text: errorText(asked?.id ?? null, error),
      ...(error instanceof RpcFault ? { fault: `RPC ${error.code}` } : {}),
    }),
  });

  return (request, response, at) => {
    if (at !== path) return false;
    if (request.method === 'POST') serve(request, response);
    else {
      request.resume();
      response.writeHead(405, { allow: 'POST' }).end();
    }
    return true;
  };
}

/** JSON-RPC errors travel on 200 except these two (profile section 7). */
function statusOf(error: unknown): number {
  const { http } = error instanceof ProfileError ? error : { http: 200 };
  return http === 401 || http === 503 ? http : 200;
}
