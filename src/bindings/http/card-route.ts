/** The agent card at its well-known place, as the bytes of its ProtoJSON (A2A 8.2; RFC 8615). */
import { createHash } from 'node:crypto';
import type { Route } from './listener.js';

const PATH = '/.well-known/agent-card.json';

export function cardRoute(card: () => Record<string, unknown>): Route {
  return (request, response, path) => {
    if (path !== PATH) return false;
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return true;
    }
    const bytes = Buffer.from(JSON.stringify(card()));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    // Keys rotate: a cache may keep the card, but must ask before it uses it again.
    const headers = { etag, 'cache-control': 'no-cache', 'content-type': 'application/json' };
    if (request.headers['if-none-match'] === etag) response.writeHead(304, headers).end();
    else
      response
        .writeHead(200, { ...headers, 'content-length': bytes.length })
        .end(request.method === 'HEAD' ? undefined : bytes);
    return true;
  };
}
