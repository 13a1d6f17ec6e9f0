/** Who a certificate speaks for: exactly one URI SAN `oab:<peer-id>`, trusted by its chain or by its pinned key (profile section 1). */
import type { KeyObject } from 'node:crypto';
import { isPeerId } from '../profile/peer-id.js';
import type { PresentedCertificate, TrustedCertificate, VerifiedCaller } from './ports.js';

const SCHEME = 'oab:';

/** The caller with what configuration grants it, or why there is none. */
export function verifyCertificate(
  { uriSans, publicKey, authorized, validFrom, validTo }: PresentedCertificate,
  trusted: ReadonlyMap<string, TrustedCertificate>,
  now: number,
): { caller?: VerifiedCaller; reason: string } {
  const [name, ...others] = uriSans;
  if (name === undefined || others.length > 0 || !name.startsWith(SCHEME))
    return { reason: 'certificate without exactly one oab: name' };
  const peer = name.slice(SCHEME.length);
  const trust = isPeerId(peer) ? trusted.get(peer) : undefined;
  if (trust === undefined) return { reason: 'certificate of nobody' };
  // A pin replaces the chain: whoever pins a key need not run a CA, and no CA can speak for that peer.
  if (trust.pinned === undefined ? !authorized : !trust.pinned(publicKey))
    return { reason: trust.pinned === undefined ? 'certificate chain' : 'certificate key' };
  // Of a pinned one too: a pin says whose key it is, and not for how long (docs/decisions/0021).
  if (!inTime({ validFrom, validTo }, now)) return { reason: 'certificate dates' };
  return { caller: { peer, via: 'mtls', cap: trust.capabilities }, reason: 'ok' };
}

/** Dates that cannot be read are nobody's time. */
export function inTime(
  { validFrom, validTo }: Pick<PresentedCertificate, 'validFrom' | 'validTo'>,
  now: number,
): boolean {
  return validFrom <= now && now <= validTo;
}

/** The URI names of a certificate, from Node's text of its SAN extension, which quotes whatever could be mistaken. */
export function uriSansOf(subjectAltName: string | undefined): string[] {
  return (subjectAltName ?? '')
    .split(', ')
    .filter((entry) => entry.startsWith('URI:'))
    .map((entry) => entry.slice('URI:'.length));
}

/** Whether two public keys are the same key. */
export function sameKey(one: KeyObject, other: KeyObject): boolean {
  return one.asymmetricKeyType === other.asymmetricKeyType && one.equals(other);
}
