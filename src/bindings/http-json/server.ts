/** The HTTP+JSON binding (A2A 11) on node:http: every operation at its own verb and path. */
import type { Call } from '../a2a/call.js';
import { type EventStream, operations } from '../a2a/operations.js';
import type { Route } from '../http/listener.js';
import { type HttpParts, serveCalls } from '../http/serve-calls.js';
import { MEDIA_TYPE } from './media-type.js';
import { type RestRequest, readRequest } from './read-request.js';
import type { refusedAs } from './status.js';

export interface HttpJsonParts extends HttpParts {
  /** What a refusal is in HTTP's words. */
  refusedAs: typeof refusedAs;
}

/** Takes everything below `base`, the path of the interface's URL, that no route before it took. */
export function httpJsonRoute(parts: HttpJsonParts, base: string): Route {
  const ops = operations(parts);
  const root = base.replace(/\/+$/, '');
  const run = async ({ operation }: RestRequest, call: Call): Promise<string | EventStream> => {
    switch (operation) {
      case 'sendStreaming':
      case 'subscribe':
        return ops[operation](call);
      case 'send':
        return JSON.stringify({ task: await ops.send(call) });
      case 'get':
      case 'list':
      case 'cancel':
        return JSON.stringify(await ops[operation](call));
      case 'card':
        return JSON.stringify(ops.card());
      default:
        return ops.push();
    }
  };

  const serve = serveCalls<RestRequest>(parts, {
    contentType: MEDIA_TYPE,
    read: (request, body) => readRequest(request, pathBelow(root, request.url), body),
    run,
    frame: () => ({ head: 'data: ', tail: '\n\n' }),
    refused: parts.refusedAs,
  });
  return (request, response, path) => {
    if (!path.startsWith(`${root}/`)) return false;
    serve(request, response);
    return true;
  };
}

function pathBelow(root: string, url = '/'): string {
  return (url.split('?', 1)[0] ?? '/').slice(root.length);
}
