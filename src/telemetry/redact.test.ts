import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { redact, registerSecret } from './redact.js';

describe('redaction', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  const token = `${Buffer.from('{"alg":"EdDSA","typ":"oab-agent+jwt"}').toString('base64url')}.e30.c2ln`;

  for (const [name, text, secret] of [
    ['a bearer header', `Authorization: Bearer ${token}`, token],
    ['an opaque credential', 'authorization: Basic dXNlcjpzZWNyZXQ=', 'dXNlcjpzZWNyZXQ='],
    ['a token in JSON', JSON.stringify({ token }), token],
    ['a token of no known kind in JSON', '{"id":1,"params":{},"token":"opaque-secret"}', 'opaque-secret'],
    [
      'a token of no known kind in JSON inside a string',
      JSON.stringify({ sent: JSON.stringify({ token: 'opaque-secret' }) }),
      'opaque-secret',
    ],
    ['a token behind a line end in JSON', JSON.stringify({ text: `a\n${token}` }), token],
    [
      'a credential behind a line end in JSON',
      JSON.stringify({ text: 'a\r\nauthorization: Bearer opaque-secret\r\n' }),
      'opaque-secret',
    ],
    [
      'a credential in JSON inside a string',
      JSON.stringify({ text: JSON.stringify({ authorization: 'Bearer opaque-secret' }) }),
      'opaque-secret',
    ],
    ['a private JWK', JSON.stringify({ key: jwk }), jwk.d ?? ''],
    ['a private JWK inside a string', JSON.stringify({ file: JSON.stringify(jwk) }), jwk.d ?? ''],
    ['a PEM key', `key: ${pem}`, pem.split('\n')[1] ?? ''],
  ] as const) {
    it(`takes ${name} out`, () => {
      assert.ok(secret.length > 8 && text.includes(secret));
      assert.ok(!redact(text).includes(secret));
    });
  }

  it('takes a registered secret out, and leaves the rest alone', () => {
    registerSecret('hunter2-hunter2');
    assert.equal(redact('a hunter2-hunter2 b'), 'a [secret] b');
    assert.equal(redact('task t-1 completed, sha256:abc'), 'task t-1 completed, sha256:abc');
  });
});
