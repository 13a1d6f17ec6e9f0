/** JSON-RPC on node:http over the SDK's own dispatcher, writing streams as the SDK's express handler does. */
import type { ServerResponse } from 'node:http';
import { formatSSEEvent, SSE_HEADERS } from '@a2a-js/sdk';
import { type A2ARequestHandler, JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { readBody } from '../../bindings/http/body.js';
import type { Route } from '../../bindings/http/listener.js';

const MAX_BODY = 1024 * 1024;

export function stockRoute(handler: A2ARequestHandler): Route {
  const dispatcher = new JsonRpcTransportHandler(handler);
  return (request, response) => {
    readBody(request, MAX_BODY)
      .then((body) =>
        dispatcher.handle(body?.toString('utf8') ?? '', new ServerCallContext({ requestedVersion: '1.0' })),
      )
      .then((answer) => write(response, answer))
      .catch((error: unknown) => {
        console.error(error);
        response.destroy();
      });
    return true;
  };
}

async function write(
  response: ServerResponse,
  answer: Awaited<ReturnType<JsonRpcTransportHandler['handle']>>,
): Promise<void> {
  if (Symbol.asyncIterator in answer) {
    response.writeHead(200, SSE_HEADERS);
    // The answer of `write` is not looked at: neither does the SDK, and a reader that stops shows it.
    for await (const event of answer) response.write(formatSSEEvent(event));
    response.end();
    return;
  }
  const text = JSON.stringify(answer);
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}
