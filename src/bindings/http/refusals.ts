/** What a listener refuses before any binding sees it; no task and no audit row comes of it. */
import type { Duplex } from 'node:stream';

/**
 * `server-name`, `authority`: through a relay, for somebody else (RFC 9110 15.5.20). `malformed`: no HTTP, or a body of
 * ambiguous length. `silent`: no whole request in time. `handshake`: no TLS.
 */
export type ListenerRefusal = 'server-name' | 'authority' | 'malformed' | 'silent' | 'handshake';

export type TellRefusal = (refusal: ListenerRefusal) => void;

/** Tells when Node.js refuses what it reads on this connection (400, 408, 413, 431), which it answers by itself. */
export function tellBadRequests(socket: Duplex, tell: TellRefusal): void {
  socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
    if (code.startsWith('HPE_')) tell('malformed');
    else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') tell('silent');
  });
}
