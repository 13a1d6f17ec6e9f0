import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import { KeyFileError, readKeyFile, writeKeyFile } from './key-file.js';
import { NoSigningKey, openKeyStore } from './key-store.js';
import { newKey } from './new-key.js';

describe('key files', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oab-keys-'));
    file = join(folder, 'keys.jwks');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are written for their owner only, with the RFC 7638 thumbprint as kid, and read back', async () => {
    const key = newKey(1_796_000_000_000);
    writeKeyFile(file, [key], 'private');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(key.kid, await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x: key.x }));
    const [read] = readKeyFile(file);
    assert.deepEqual(
      [read?.kid, read?.notBefore, read?.state, read?.d],
      [key.kid, key.notBefore, 'active', key.d],
    );
    const half = join(folder, 'public.jwks');
    writeKeyFile(half, [key], 'public');
    assert.ok(!readFileSync(half, 'utf8').includes('"d"'));
  });

  it('are refused with what is wrong, and never with a part of a key', () => {
    const key = newKey(0);
    writeKeyFile(file, [key], 'private');
    const json = JSON.parse(readFileSync(file, 'utf8')) as { keys: Record<string, unknown>[] };
    const refused = (keys: unknown, pattern: RegExp) => {
      writeFileSync(file, JSON.stringify({ keys }), { mode: 0o600 });
      assert.throws(
        () => readKeyFile(file),
        (error: Error) =>
          error instanceof KeyFileError &&
          pattern.test(error.message) &&
          !error.message.includes(key.d ?? ''),
      );
    };
    refused([{ ...json.keys[0], kid: 'mine' }], /thumbprint/);
    refused([{ ...json.keys[0], state: 'old' }], /keys\.0\.state/);
    refused([json.keys[0], json.keys[0]], /two keys with one kid/);
    refused('none', /JWKS/);
    refused([{ ...json.keys[0], d: newKey(0).d }], /no usable Ed25519 key/);
    writeFileSync(file, '{');
    assert.throws(() => readKeyFile(file), /no JSON/);
    assert.throws(() => readKeyFile(join(folder, 'absent')), /ENOENT.*oab-peer keys new/);
    writeKeyFile(file, [key], 'private');
    chmodSync(file, 0o644);
    assert.throws(() => readKeyFile(file), /chmod 600/);
  });

  it('are read again when they change, and keep what they had when the new file is broken', () => {
    const [first, second] = [newKey(1000), newKey(2000)];
    writeKeyFile(file, [first], 'private');
    const store = openKeyStore(file);
    assert.equal(store.active().kid, first.kid);
    writeKeyFile(file, [{ ...first, state: 'retired', notAfter: 3000 }, second], 'private');
    assert.equal(store.reload(), true);
    assert.equal(store.active().kid, second.kid);
    assert.equal(store.find(first.kid)?.state, 'retired');
    assert.equal(store.reload(), false);
    writeFileSync(file, 'broken');
    utimesSync(file, new Date(0), new Date(0));
    assert.throws(() => store.reload(), KeyFileError);
    assert.equal(store.active().kid, second.kid);
    writeKeyFile(file, [{ ...second, state: 'revoked' }], 'private');
    store.reload();
    assert.throws(() => store.active(), NoSigningKey);
    assert.deepEqual(store.publicJwks(), []);
  });

  it('sign only while they are valid: one published ahead of its time waits', () => {
    const [current, next] = [newKey(1000), newKey(5000)];
    writeKeyFile(file, [{ ...current, notAfter: 6000 }, next], 'private');
    let now = 4000;
    const store = openKeyStore(file, () => now);
    assert.equal(store.active().kid, current.kid);
    now = 5000;
    assert.equal(store.active().kid, next.kid);
    now = 999;
    assert.throws(() => store.active(), NoSigningKey);
    writeKeyFile(file, [{ ...current, notAfter: 6000 }], 'private');
    store.reload(true);
    now = 6001;
    assert.throws(() => store.active(), NoSigningKey);
  });
});
