/** What the rest of the house may ask of identity: verify a caller, sign and verify results, mint tokens. */
import type { KeyObject } from 'node:crypto';

export type KeyState = 'active' | 'retired' | 'revoked';

/** A public key that configuration trusts; profile section 1. Times in ms. */
export interface TrustedKey {
  kid: string;
  key: KeyObject;
  notBefore: number;
  notAfter?: number;
  state: KeyState;
}

/** Looks a key up by kid in the current configuration; undefined is a refusal. */
export interface KeyRing {
  find(kid: string): TrustedKey | undefined;
  /** Public JWKs, for the card. */
  publicJwks(): Record<string, unknown>[];
}

/** Our own active signing key; throws NoSigningKey when there is none (the executor then drains). */
export interface SigningKeys extends KeyRing {
  active(): { kid: string; key: KeyObject };
}

export interface VerifiedCaller {
  peer: string;
  via: 'token' | 'mtls';
  cap: readonly string[];
  req?: string;
  jti?: string;
}

/** From the TLS socket that this process itself terminated; never from a header. */
export interface PresentedCertificate {
  uriSans: readonly string[];
  publicKey: KeyObject;
  /** Its time, in ms. */
  validFrom: number;
  validTo: number;
  /** Its chain ends at the configured CA, and it is in its time. */
  authorized: boolean;
}

/** How a peer's certificate is trusted: by its chain, or, with `pinned`, by its public key and its time. */
export interface TrustedCertificate {
  /** What a caller by certificate may ask for; a token says so itself. */
  capabilities: readonly string[];
  pinned?: (key: KeyObject) => boolean;
}

export interface Credentials {
  /** The value of Authorization, if any. */
  authorization?: string;
  certificate?: PresentedCertificate;
}

/** `undefined`: not authenticated, and the answer never says why (profile section 1, PRF-21). */
export interface Authenticator {
  verify(credentials: Credentials, now: number): Promise<{ caller?: VerifiedCaller; reason: string }>;
}
