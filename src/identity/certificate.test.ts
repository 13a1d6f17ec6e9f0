import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthenticator } from './authenticator.js';
import { uriSansOf } from './certificate.js';
import { KeyFileError } from './key-file.js';
import { newKey } from './new-key.js';
import { openPinnedKeys } from './pinned-keys.js';
import type { PresentedCertificate, TrustedCertificate, TrustedKey } from './ports.js';
import { type Authority, openAuthority } from './testing/authority.js';
import { openTlsFiles, readCertificates } from './tls-files.js';
import { mintToken } from './token.js';

const NOW = Date.parse('2026-12-01T12:00:00Z');

describe('a caller by certificate', () => {
  const tls = newKey(NOW).publicKey;
  const otherTls = newKey(NOW).publicKey;
  const token = newKey(NOW - 1000);
  const trusted: TrustedKey = {
    kid: token.kid,
    key: token.publicKey,
    notBefore: NOW - 1000,
    state: 'active',
  };
  const authenticator = createAuthenticator({
    self: 'oab-b',
    peers: new Map(
      ['gate', 'gate-other'].map((peer) => [peer, { find: () => trusted, publicJwks: () => [] }]),
    ),
    certificates: new Map<string, TrustedCertificate>([
      ['gate', { capabilities: ['repo:read'] }],
      ['pinned', { capabilities: ['exec'], pinned: (key) => key.equals(tls) }],
    ]),
    skewMs: 30_000,
    windowMs: 7_200_000,
  });
  const shown = (more: Partial<PresentedCertificate> = {}): PresentedCertificate => ({
    uriSans: ['oab:gate'],
    publicKey: otherTls,
    validFrom: NOW - 1000,
    validTo: NOW + 1000,
    authorized: true,
    ...more,
  });
  const bearer = (caller: string) =>
    `Bearer ${mintToken(
      { kid: token.kid, key: token.privateKey as NonNullable<typeof token.privateKey> },
      { caller, executor: 'oab-b', cap: ['net:fetch'], now: NOW, jti: 'j', lifetime: 60, req: 'sha256:x' },
    )}`;
  const verify = async (certificate: PresentedCertificate, authorization?: string) => {
    const { caller, reason } = await authenticator.verify(
      { certificate, ...(authorization === undefined ? {} : { authorization }) },
      NOW,
    );
    return caller === undefined ? reason : [caller.peer, caller.via, [...caller.cap], caller.req];
  };

  it('is who its one oab: name says, with what configuration grants', async () => {
    assert.deepEqual(await verify(shown()), ['gate', 'mtls', ['repo:read'], undefined]);
    assert.deepEqual(await verify(shown({ uriSans: ['oab:pinned'], publicKey: tls, authorized: false })), [
      'pinned',
      'mtls',
      ['exec'],
      undefined,
    ]);
  });

  for (const [what, change] of [
    ['no name', { uriSans: [] }],
    ['two names', { uriSans: ['oab:gate', 'oab:gate-other'] }],
    ['another URI beside it', { uriSans: ['oab:gate', 'spiffe://lab/gate'] }],
    ['another scheme', { uriSans: ['urn:oab:gate'] }],
    ['a name that is no peer id', { uriSans: ['oab:Gate'] }],
    ['a peer that is not configured', { uriSans: ['oab:nobody'] }],
    ['a peer that may not come by certificate', { uriSans: ['oab:gate-other'] }],
    ['a chain that does not end at the authority', { authorized: false }],
    ['the pinned key after its time', { uriSans: ['oab:pinned'], publicKey: tls, validTo: NOW - 1 }],
    ['the pinned key before its time', { uriSans: ['oab:pinned'], publicKey: tls, validFrom: NOW + 1 }],
    ['dates that nobody can read', { uriSans: ['oab:pinned'], publicKey: tls, validTo: Number.NaN }],
    ['another key than the pinned one', { uriSans: ['oab:pinned'] }],
  ] as const) {
    it(`is nobody with ${what}, also beside a good token`, async () => {
      assert.match(String(await verify(shown(change))), /^certificate/);
      assert.match(String(await verify(shown(change), bearer('gate'))), /^certificate/);
    });
  }

  it('with a token as well, is bound by the token, and both name one peer', async () => {
    assert.deepEqual(await verify(shown(), bearer('gate')), ['gate', 'token', ['net:fetch'], 'sha256:x']);
    assert.equal(await verify(shown(), bearer('gate-other')), 'certificate and token of two peers');
    assert.equal(await verify(shown(), 'Bearer x.y.z'), 'header');
  });

  it('is read from the text of a SAN extension, where quoted text is no name', () => {
    assert.deepEqual(uriSansOf('DNS:oab-b.lab, URI:oab:gate'), ['oab:gate']);
    assert.deepEqual(uriSansOf('DNS:"x, URI:oab:gate"'), ['oab:gate"']);
    assert.deepEqual(uriSansOf(undefined), []);
  });
});

describe('TLS files', () => {
  let folder: string;
  let authority: Authority;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oab-tls-files-'));
    authority = await openAuthority(folder);
  });
  after(() => rmSync(folder, { recursive: true }));

  it('are taken together, taken anew when replaced, and kept when the new ones are wrong', async () => {
    const [one, two] = [await authority.issue('one', {}), await authority.issue('two', {})];
    const at = (name: string) => join(folder, name);
    const put = (from: { cert: string; key: string }) => {
      copyFileSync(from.cert, at('live.crt'));
      copyFileSync(from.key, at('live.key'));
    };
    put(one);
    const files = openTlsFiles({ cert: at('live.crt'), key: at('live.key'), ca: authority.ca });
    assert.equal(files.reload(), false);
    put(two);
    assert.equal(files.reload(true), true);
    assert.equal(files.current().cert, readFileSync(two.cert, 'utf8'));
    copyFileSync(one.key, at('live.key'));
    assert.throws(() => files.reload(true), /is not the key of the certificate/);
    assert.equal(files.current().cert, readFileSync(two.cert, 'utf8'));
  });

  it('say what is wrong and where', async () => {
    const one = await authority.issue('wrong', {});
    const bad = join(folder, 'bad.pem');
    const refused = (act: () => unknown, pattern: RegExp) =>
      assert.throws(act, (error: Error) => error instanceof KeyFileError && pattern.test(error.message));
    writeFileSync(bad, 'nothing', { mode: 0o600 });
    refused(() => readCertificates(bad), /no PEM certificate/);
    refused(() => openTlsFiles({ cert: one.cert, key: bad }), /no private key in PEM/);
    refused(() => openTlsFiles({ cert: join(folder, 'absent'), key: one.key }), /ENOENT/);
    chmodSync(one.key, 0o644);
    refused(() => openTlsFiles({ cert: one.cert, key: one.key }), /chmod 600/);
    refused(() => openPinnedKeys(bad), /no JSON/);
    writeFileSync(bad, '{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}');
    refused(() => openPinnedKeys(bad), /cannot be read as a public JWK/);
    writeFileSync(bad, '{"kty":"OKP","crv":"Ed25519","x":"AA","d":"AA"}');
    refused(() => openPinnedKeys(bad), /private key/);
    writeFileSync(bad, '{"keys":[]}');
    refused(() => openPinnedKeys(bad), /neither a JWK nor a JWKS/);
  });

  it('of pinned keys hold one key, or several while one is being rotated', async () => {
    const [one, two] = [await authority.issue('pin-1', {}), await authority.issue('pin-2', {})];
    const jwk = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as JsonWebKey;
    const key = (path: string) => createPublicKey({ key: jwk(path), format: 'jwk' });
    const file = join(folder, 'pins.jwk');
    copyFileSync(one.jwk, file);
    const pins = openPinnedKeys(file);
    assert.deepEqual([pins.has(key(one.jwk)), pins.has(key(two.jwk))], [true, false]);
    writeFileSync(file, JSON.stringify({ keys: [jwk(one.jwk), jwk(two.jwk)] }));
    assert.equal(pins.reload(), true);
    assert.deepEqual([pins.has(key(one.jwk)), pins.has(key(two.jwk))], [true, true]);
  });
});
