/** What an HTTP request brings to prove its caller: a header, and the certificate of the connection that we ended ourselves. */
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { uriSansOf } from '../../identity/certificate.js';
import type { Credentials, PresentedCertificate } from '../../identity/ports.js';

/** One reading per connection: a keep-alive connection shows the same certificate with every request. */
const shown = new WeakMap<TLSSocket, PresentedCertificate>();

export function credentialsOf(request: IncomingMessage): Credentials {
  const { authorization } = request.headers;
  const certificate = certificateOf(request);
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(certificate === undefined ? {} : { certificate }),
  };
}

function certificateOf({ socket }: IncomingMessage): PresentedCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const known = shown.get(socket);
  if (known !== undefined) return known;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const presented = {
    uriSans: uriSansOf(certificate.subjectAltName),
    publicKey: certificate.publicKey,
    validFrom: Date.parse(certificate.validFrom),
    validTo: Date.parse(certificate.validTo),
    authorized: socket.authorized,
  };
  shown.set(socket, presented);
  return presented;
}
