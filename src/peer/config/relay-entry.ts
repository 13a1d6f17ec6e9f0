/** One relay as a peer's configuration names it, the same for an executor and for a coordinator. */
import { z } from 'zod';
import { readKeyFile } from '../../identity/key-file.js';
import { openTlsFiles, readCertificates, type TlsPaths } from '../../identity/tls-files.js';

export interface RelaySettings {
  /** Its id, the audience of tokens for it. */
  relay: string;
  url: string;
  /** `host:port` to dial in place of the URL's. */
  connect?: string;
  ca?: string;
  /** Key file that signs the tokens for it. */
  key?: string;
  /** Certificate to show it. */
  tls?: TlsPaths;
}

interface RelayEntry {
  relay: string;
  url: string;
  connect?: { host: string; port: number } | undefined;
  ca?: string | undefined;
  tls?: { cert: string; key: string } | undefined;
}

export const relayUrl = (scheme: 'wss' | 'https') =>
  z
    .url({ protocol: new RegExp(`^${scheme}$`), error: `must be a ${scheme} URL` })
    .refine((url) => new URL(url).pathname.endsWith('/'), 'must end with a slash');

/** `at` makes a path of the file absolute; `key` is the entry's token key, whatever the file calls it. */
export function relaySettings<T extends RelayEntry>(
  entry: T,
  at: (path: string) => string,
  key: string | undefined,
): Omit<T, keyof RelayEntry | 'key'> & RelaySettings {
  const { connect, ca, tls, ...rest } = entry;
  const host = connect?.host.includes(':') ? `[${connect.host}]` : connect?.host;
  return {
    ...rest,
    ...(connect === undefined ? {} : { connect: `${host}:${connect.port}` }),
    ...(ca === undefined ? {} : { ca: at(ca) }),
    ...(tls === undefined ? {} : { tls: { cert: at(tls.cert), key: at(tls.key) } }),
    ...(key === undefined ? {} : { key: at(key) }),
  } as Omit<T, keyof RelayEntry | 'key'> & RelaySettings;
}

/** What to open of an entry before anything is dialled, by the key that it stands under. */
export function relayFiles({ ca, key, tls }: RelaySettings): [string, () => void][] {
  return [
    ...(ca === undefined ? [] : [['ca', () => void readCertificates(ca)] as [string, () => void]]),
    ...(tls === undefined ? [] : [['tls', () => void openTlsFiles(tls)] as [string, () => void]]),
    ['key', () => proveable(key, tls)],
  ];
}

function proveable(key: string | undefined, tls: TlsPaths | undefined): void {
  if (key === undefined) {
    if (tls === undefined)
      throw new Error('nothing to prove itself by; give a key, or tls with a certificate');
    return;
  }
  const usable = readKeyFile(key).some(
    ({ state, privateKey }) => state === 'active' && privateKey !== undefined,
  );
  if (!usable) throw new Error(`${key}: no active private key; "oab-peer keys new" makes one`);
}
