/** A caller as the harness plays it: its key, and tokens made with a stock JOSE library, each claim open to abuse. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { importJWK, type JWK, SignJWT } from 'jose';

export interface TokenAbuse {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** Signs with this key in place of the caller's own. */
  key?: JWK;
  /** Seconds; the default lives a minute. */
  lifetime?: number;
}

export class Identity {
  readonly peer: string;
  readonly executor: string;
  readonly jwk: JWK & { kid: string };
  readonly keyFile: string;

  /** `keyFile` is a JWKS with the private key of the caller. */
  constructor(peer: string, executor: string, keyFile: string) {
    this.peer = peer;
    this.executor = executor;
    this.keyFile = keyFile;
    const { keys } = JSON.parse(readFileSync(keyFile, 'utf8')) as { keys: (JWK & { kid: string })[] };
    this.jwk = keys[0] as JWK & { kid: string };
  }

  /** An agent token (profile section 1); with `req` it is bound to that request digest. */
  async token(cap: readonly string[], req?: string, abuse: TokenAbuse = {}): Promise<string> {
    const iat = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.peer,
      sub: this.peer,
      aud: this.executor,
      iat,
      exp: iat + (abuse.lifetime ?? 60),
      jti: randomUUID(),
      cap: [...cap],
      ...(req === undefined ? {} : { req }),
      ...abuse.claims,
    };
    const header = { alg: 'EdDSA', typ: 'oab-agent+jwt', kid: this.jwk.kid, ...abuse.header };
    const { d, x, kty, crv } = (abuse.key ?? this.jwk) as JWK;
    const key = await importJWK({ d, x, kty, crv } as JWK, 'EdDSA');
    return new SignJWT(claims).setProtectedHeader(header as { alg: string }).sign(key);
  }

  /** A relay token (profile section 1) for this relay. */
  async relayToken(relay: string): Promise<string> {
    const iat = Math.floor(Date.now() / 1000);
    const { d, x, kty, crv, kid } = this.jwk;
    const key = await importJWK({ d, x, kty, crv } as JWK, 'EdDSA');
    return new SignJWT({
      iss: this.peer,
      sub: this.peer,
      aud: `relay:${relay}`,
      iat,
      exp: iat + 60,
      jti: randomUUID(),
    })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'oab-relay+jwt', kid })
      .sign(key);
  }
}
