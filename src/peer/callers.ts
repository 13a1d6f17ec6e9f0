/** The configured callers as identity takes them: the keys of their tokens, and what their certificates must show. */
import { type KeyStore, openKeyStore } from '../identity/key-store.js';
import { openPinnedKeys, type PinnedKeys } from '../identity/pinned-keys.js';
import type { TrustedCertificate } from '../identity/ports.js';
import type { CallerSettings } from './config/executor-file.js';

export interface Callers {
  tokens: ReadonlyMap<string, KeyStore>;
  certificates: ReadonlyMap<string, TrustedCertificate>;
  pins: ReadonlyMap<string, PinnedKeys>;
}

/** `clientCa`: certificates that chain to it count also for peers without a pinned key. Throws KeyFileError. */
export function openCallers(callers: readonly CallerSettings[], clientCa: boolean): Callers {
  const tokens = new Map<string, KeyStore>();
  const certificates = new Map<string, TrustedCertificate>();
  const pins = new Map<string, PinnedKeys>();
  for (const { peer, capabilities, tokenKeys, tlsKey } of callers) {
    if (tokenKeys !== undefined) tokens.set(peer, openKeyStore(tokenKeys));
    if (tlsKey !== undefined) {
      const keys = openPinnedKeys(tlsKey);
      pins.set(peer, keys);
      certificates.set(peer, { capabilities, pinned: keys.has });
    } else if (clientCa) certificates.set(peer, { capabilities });
  }
  return { tokens, certificates, pins };
}
