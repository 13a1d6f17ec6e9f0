/** A key file in memory, read again when it changed: rotation and revocation need no restart (profile section 1). */
import { fileStamp } from './file-stamp.js';
import { jwkOf, readKeyFile, type StoredKey } from './key-file.js';
import type { SigningKeys, TrustedKey } from './ports.js';

/** No active private key: an executor then drains, a coordinator sends nothing. */
export class NoSigningKey extends Error {
  override name = 'NoSigningKey';
}

export interface KeyStore extends SigningKeys {
  /** Reads the file again if it changed, or always with `force`; a file that is wrong changes nothing and throws. */
  reload(force?: boolean): boolean;
}

/** Throws KeyFileError when the file cannot be used at all; `now` is the wall clock, ms. */
export function openKeyStore(path: string, now: () => number = Date.now): KeyStore {
  let keys: StoredKey[] = [];
  let published: Record<string, unknown>[] = [];
  let seen = '';
  const reload = (force = false): boolean => {
    const stamp = fileStamp(path);
    if (!force && stamp === seen) return false;
    keys = readKeyFile(path);
    published = keys.filter(({ state }) => state !== 'revoked').map((key) => jwkOf(key, 'public'));
    seen = stamp;
    return true;
  };
  readKeyFile(path);
  reload(true);
  return {
    reload,
    find(kid) {
      const key = keys.find((one) => one.kid === kid);
      return key && trusted(key);
    },
    publicJwks: () => published,
    active() {
      // The newest one: during a rotation both are active and verifiers know both.
      // One that is not valid yet, or no more, would sign what every verifier refuses.
      const at = now();
      const usable = keys.filter(
        ({ state, privateKey, notBefore, notAfter = Number.POSITIVE_INFINITY }) =>
          state === 'active' && privateKey !== undefined && notBefore <= at && at <= notAfter,
      );
      const key = usable.sort((a, b) => b.notBefore - a.notBefore)[0];
      if (key?.privateKey === undefined) throw new NoSigningKey(`${path}: no active private key`);
      return { kid: key.kid, key: key.privateKey };
    },
  };
}

function trusted(key: StoredKey): TrustedKey {
  return {
    kid: key.kid,
    key: key.publicKey,
    notBefore: key.notBefore,
    ...(key.notAfter === undefined ? {} : { notAfter: key.notAfter }),
    state: key.state,
  };
}
