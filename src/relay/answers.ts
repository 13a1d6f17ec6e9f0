/** What the relay says to those whom it does not connect: transport errors, from which no outcome follows. */
import type { Duplex } from 'node:stream';

export type Refusal =
  | 'proxy-credentials'
  | 'credentials'
  | 'forbidden'
  | 'unavailable'
  | 'method'
  | 'upgrade'
  | 'malformed'
  | 'silent';

/** What is counted: also a TLS handshake that failed, which TLS itself answers, and a tunnel that lost its route to a newer one. */
export type Counted = Refusal | 'handshake' | 'replaced';

const RETRY_SECONDS = 1;
const ANSWERS: Record<Refusal, { line: string; header?: string }> = {
  'proxy-credentials': {
    line: '407 Proxy Authentication Required',
    header: 'Proxy-Authenticate: Bearer',
  },
  credentials: { line: '401 Unauthorized', header: 'WWW-Authenticate: Bearer' },
  // One answer for a route that is not there and for one that is not granted: nothing can be found out by asking.
  forbidden: { line: '403 Forbidden' },
  unavailable: { line: '503 Service Unavailable', header: `Retry-After: ${RETRY_SECONDS}` },
  method: { line: '405 Method Not Allowed', header: 'Allow: CONNECT' },
  upgrade: { line: '426 Upgrade Required', header: 'Upgrade: websocket' },
  malformed: { line: '400 Bad Request' },
  silent: { line: '408 Request Timeout' },
};

/** Answers on the bare connection and ends it. */
export function refuse(socket: Duplex, refusal: Refusal): void {
  const { line, header } = ANSWERS[refusal];
  const headers = [...(header === undefined ? [] : [header]), 'Content-Length: 0', 'Connection: close'];
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${line}\r\n${headers.join('\r\n')}\r\n\r\n`);
  // Whoever does not close after that is not waited for.
  socket.once('finish', () => socket.destroy());
}
