/** How this peer proves itself to a relay, from its configuration: token or certificate, read anew when the files change. */
import { randomUUID } from 'node:crypto';
import { openKeyStore } from '../identity/key-store.js';
import { mintRelayToken } from '../identity/relay-token.js';
import { openTlsFiles, readCertificates } from '../identity/tls-files.js';
import type { RelayTarget } from '../relay/dial-websocket.js';
import type { RelaySettings } from './config/relay-entry.js';

/** One is made for every connection. */
const TOKEN_SECONDS = 60;

/** Throws KeyFileError. */
export function relayTarget(peer: string, settings: RelaySettings): RelayTarget {
  const { relay, url, connect, ca } = settings;
  const keys = settings.key === undefined ? undefined : openKeyStore(settings.key);
  const own = settings.tls === undefined ? undefined : openTlsFiles(settings.tls);
  return {
    url,
    ...(connect === undefined ? {} : { connect }),
    tls() {
      own?.reload();
      return { ...(ca === undefined ? {} : { ca: readCertificates(ca) }), ...own?.current() };
    },
    credentials() {
      if (keys === undefined) return undefined;
      keys.reload();
      return mintRelayToken(keys.active(), {
        peer,
        relay,
        now: Date.now(),
        jti: randomUUID(),
        lifetime: TOKEN_SECONDS,
      });
    },
  };
}
