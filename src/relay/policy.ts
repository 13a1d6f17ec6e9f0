/** Who may do what at the relay: deny by default, from configuration alone, and nothing is learned from the wire. */
import { verifyCertificate } from '../identity/certificate.js';
import type { Credentials, KeyRing, TrustedCertificate } from '../identity/ports.js';
import { verifyRelayToken } from '../identity/relay-token.js';

export interface RelayPeer {
  peer: string;
  /** Public keys of its relay tokens. */
  tokens?: KeyRing;
  /** How its certificate is trusted, if one may stand for it. */
  certificate?: TrustedCertificate;
  /** An executor's one route, or those that a coordinator is granted: `host:port`. */
  routes: readonly string[];
}

export interface PolicyOptions {
  relay: string;
  peers: readonly RelayPeer[];
  skewMs: number;
}

/** The peer that credentials prove, or why they prove none (for the log only). */
export type Proven = { peer: RelayPeer; reason: 'ok'; stands: Stands } | { peer?: undefined; reason: string };

/** Whether what was proven by then still would be: false once the key is revoked, or no key of that peer any more. */
export type Stands = () => boolean;

/** An executor's one route, or those that a coordinator is granted; compared exactly. */
export function permits({ routes }: RelayPeer, route: string): boolean {
  return routes.includes(route);
}

export function createPolicy({ relay, peers, skewMs }: PolicyOptions) {
  const byName = new Map(peers.map((peer) => [peer.peer, peer]));
  const certificates = new Map(
    peers.flatMap(({ peer, certificate }) =>
      certificate === undefined ? [] : [[peer, certificate] as const],
    ),
  );

  const byToken = (authorization: string, now: number): Proven => {
    const token = /^Bearer +([A-Za-z0-9_\-.]+)$/i.exec(authorization)?.[1];
    if (token === undefined) return { reason: 'no bearer token' };
    const find = (peer: string, kid: string) => byName.get(peer)?.tokens?.find(kid);
    const verified = verifyRelayToken(token, { relay, find, now, skewMs });
    if ('refused' in verified) return { reason: verified.refused };
    const peer = byName.get(verified.peer);
    if (peer === undefined) return { reason: 'unknown peer' };
    // A key that is retired signs nothing new; what it opened goes on (make before break).
    const stands = () => ['active', 'retired'].includes(find(peer.peer, verified.kid)?.state ?? '');
    return { peer, reason: 'ok', stands };
  };

  return {
    /** A certificate that is shown counts, also beside a good token, and both name one peer. */
    prove({ authorization, certificate }: Credentials, now: number): Proven {
      if (certificate === undefined)
        return authorization === undefined ? { reason: 'no credential' } : byToken(authorization, now);
      const shown = verifyCertificate(certificate, certificates, now);
      const peer = shown.caller && byName.get(shown.caller.peer);
      if (peer === undefined) return { reason: shown.reason };
      // What was opened in the certificate's time goes on after it, as behind a token.
      const stands = () => verifyCertificate(certificate, certificates, now).caller !== undefined;
      if (authorization === undefined) return { peer, reason: 'ok', stands };
      const spoken = byToken(authorization, now);
      if (spoken.peer !== undefined && spoken.peer !== peer)
        return { reason: 'certificate and token of two peers' };
      return spoken.peer === undefined ? spoken : { ...spoken, stands: () => spoken.stands() && stands() };
    },
  };
}
