import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, TLSSocket } from 'node:tls';
import { splice } from '../../../relay/splice.js';
import { HELD_SECRET } from '../../subjects/held-secret.js';
import type { Defect } from '../defect.js';

/** RLY-10: the positive control of its search too. Nothing is changed and nothing is kept: the peers cannot tell. */
export const endsTheirTls: Defect = {
  id: 'ends-their-tls',
  breaks:
    'the relay holds the executor’s certificate and key, ends the TLS between the peers and sees what passes',
  fails: ['RLY-10'],
  bindings: ['HTTP+JSON'],
  topology: 'dual-outbound',
  relay: (parts) => ({ ...parts, splice: inTheMiddle }),
};

function inTheMiddle(client: Duplex, stream: Duplex): void {
  const held = JSON.parse(readFileSync(HELD_SECRET, 'utf8')) as { cert: string; key: string };
  const cert = readFileSync(held.cert);
  const here = new TLSSocket(client as Socket, { isServer: true, cert, key: readFileSync(held.key) });
  const servername = new X509Certificate(cert).subjectAltName?.replace(/^DNS:/, '') ?? '';
  splice(here, connect({ socket: stream as Socket, servername, rejectUnauthorized: false }));
}
