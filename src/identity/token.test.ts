import assert from 'node:assert/strict';
import { jwtVerify } from 'jose';
import { createAuthenticator } from './authenticator.js';
import { newKey } from './new-key.js';
import type { KeyRing, TrustedKey } from './ports.js';
import { type Mint, mintToken, verifyToken } from './token.js';

const NOW = Date.parse('2026-12-01T12:00:00Z');
const SKEW = 30_000;
const WINDOW = 7_200_000;

describe('agent tokens', () => {
  const key = newKey(NOW - 3_600_000);
  const signing = { kid: key.kid, key: key.privateKey as NonNullable<typeof key.privateKey> };
  const trusted = (more: Partial<TrustedKey> = {}): TrustedKey => ({
    kid: key.kid,
    key: key.publicKey,
    notBefore: key.notBefore,
    state: 'active',
    ...more,
  });
  const mint = (more: Partial<Mint> = {}) =>
    mintToken(signing, {
      caller: 'oab-a',
      executor: 'oab-b',
      cap: ['repo:read'],
      now: NOW,
      jti: 'j',
      lifetime: 60,
      ...more,
    });
  const refusal = async (
    token: string,
    found: TrustedKey | undefined = trusted(),
    now = NOW,
    windowMs = WINDOW,
  ) => {
    const verified = await verifyToken(token, {
      audience: 'oab-b',
      find: () => found,
      now,
      skewMs: SKEW,
      windowMs,
    });
    return 'refused' in verified ? verified.refused : 'accepted';
  };
  const forged = (change: { header?: object; claims?: object }) => {
    const [head = '', body = '', tail = ''] = mint().split('.');
    const bend = (part: string, more: object | undefined) =>
      Buffer.from(
        JSON.stringify({ ...(JSON.parse(Buffer.from(part, 'base64url').toString()) as object), ...more }),
      ).toString('base64url');
    return `${bend(head, change.header)}.${bend(body, change.claims)}.${tail}`;
  };

  it('verify with a stock JOSE library', async () => {
    const { payload, protectedHeader } = await jwtVerify(mint({ req: 'sha256:x' }), key.publicKey, {
      currentDate: new Date(NOW),
      typ: 'oab-agent+jwt',
      audience: 'oab-b',
    });
    assert.deepEqual(Object.keys(protectedHeader).sort(), ['alg', 'kid', 'typ']);
    assert.deepEqual(
      [payload.iss, payload.sub, payload.cap, payload.req],
      ['oab-a', 'oab-a', ['repo:read'], 'sha256:x'],
    );
  });

  it('are accepted at their limits and refused beyond', async () => {
    assert.equal(await refusal(mint({ lifetime: 300 })), 'accepted');
    assert.equal(await refusal(mint({ lifetime: 301 })), 'lifetime');
    assert.equal(await refusal(mint({ lifetime: 0 })), 'lifetime');
    // With `req` also at most windowSeconds − 3·skew.
    assert.equal(await refusal(mint({ lifetime: 110, req: 'r' }), trusted(), NOW, 200_000), 'accepted');
    assert.equal(await refusal(mint({ lifetime: 111, req: 'r' }), trusted(), NOW, 200_000), 'lifetime');
    assert.equal(await refusal(mint({ lifetime: 111 }), trusted(), NOW, 200_000), 'accepted');
    assert.equal(await refusal(mint(), trusted(), NOW + 60_000 + SKEW - 1), 'accepted');
    assert.equal(await refusal(mint(), trusted(), NOW + 60_000 + SKEW), 'expired');
    assert.equal(await refusal(mint({ now: NOW + SKEW })), 'accepted');
    assert.equal(await refusal(mint({ now: NOW + SKEW + 1000 })), 'issued in the future');
  });

  it('are refused for another audience, key state, claim or trick', async () => {
    assert.equal(await refusal(mint({ executor: 'oab-c' })), 'audience');
    assert.equal(await refusal(mint(), trusted({ state: 'revoked' })), 'key revoked');
    assert.equal(await refusal(mint(), trusted({ state: 'retired' })), 'key retired');
    assert.equal(await refusal(mint(), trusted({ key: newKey(NOW).publicKey })), 'signature');
    assert.equal(await refusal(mint(), trusted({ notBefore: NOW + 3_600_000 })), 'key not valid at iat');
    assert.equal(await verifyTokenUnknown(), 'unknown caller or key');
    for (const change of [
      { header: { alg: 'none' } },
      { header: { typ: 'JWT' } },
      { header: { jku: 'x' } },
      { header: { jwk: {} } },
      { header: { x5c: [] } },
    ]) {
      assert.equal(await refusal(forged(change)), 'header', JSON.stringify(change));
    }
    assert.equal(await refusal(forged({ claims: { cap: ['exec'] } })), 'signature');
    assert.equal(await refusal(forged({ claims: { sub: 'oab-c' } })), 'iss is not sub');
    assert.equal(await refusal(forged({ claims: { cap: 'repo:read' } })), 'claims');
    for (const text of ['', 'a.b', 'a.b.c.d', 'x'.repeat(9000), `${mint()}=`, mint().replace(/.$/, '')])
      assert.notEqual(await refusal(text), 'accepted');

    async function verifyTokenUnknown(): Promise<string> {
      const verified = await verifyToken(mint(), {
        audience: 'oab-b',
        find: () => undefined,
        now: NOW,
        skewMs: SKEW,
        windowMs: WINDOW,
      });
      return 'refused' in verified ? verified.refused : 'accepted';
    }
  });

  it('make a caller only of a configured peer (deny by default)', async () => {
    const ring: KeyRing = { find: (kid) => (kid === key.kid ? trusted() : undefined), publicJwks: () => [] };
    const authenticator = createAuthenticator({
      self: 'oab-b',
      peers: new Map([['oab-a', ring]]),
      skewMs: SKEW,
      windowMs: WINDOW,
    });
    const verify = async (authorization?: string) =>
      (await authenticator.verify(authorization === undefined ? {} : { authorization }, NOW)).caller;
    assert.deepEqual(await verify(`Bearer ${mint()}`), {
      peer: 'oab-a',
      via: 'token',
      cap: ['repo:read'],
      jti: 'j',
    });
    assert.equal(await verify(`Bearer ${mint({ caller: 'oab-x' })}`), undefined);
    assert.equal(await verify(`Basic ${mint()}`), undefined);
    assert.equal(await verify(), undefined);
  });
});
