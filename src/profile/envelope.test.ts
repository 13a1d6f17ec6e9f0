import assert from 'node:assert/strict';
import { FlattenedSign, flattenedVerify } from 'jose';
import { jcs } from './canonical.js';
import { openEnvelope, type ResultKey, signEnvelope } from './envelope.js';
import type { ResultEnvelope } from './model.js';
import { honestEnvelope, keyPair } from './testing.js';

describe('the result envelope', () => {
  const { privateKey, publicKey } = keyPair();
  const key: ResultKey = { key: publicKey, notBefore: 0, state: 'active' };
  const signed = signEnvelope(honestEnvelope(), { kid: 'k1', key: privateKey });
  const open = (envelope: unknown, with_: ResultKey | undefined = key) =>
    openEnvelope(envelope, (kid) => (kid === 'k1' ? with_ : undefined));
  const reason = (envelope: unknown, with_?: ResultKey) => {
    const opened = open(envelope, with_);
    return 'refused' in opened ? opened.refused : 'accepted';
  };

  it('is signed byte for byte as jose signs, and verifies there', async () => {
    const { attestation, ...payload } = signed;
    const bytes = Buffer.from(jcs(payload));
    const theirs = await new FlattenedSign(bytes)
      .setProtectedHeader({ alg: 'EdDSA', kid: 'k1', typ: 'oab-result+jws' })
      .sign(privateKey);
    assert.deepEqual([theirs.protected, theirs.signature], [attestation.protected, attestation.signature]);
    await flattenedVerify(
      {
        protected: attestation.protected,
        signature: attestation.signature,
        payload: bytes.toString('base64url'),
      },
      publicKey,
    );
    assert.equal(reason(signed), 'accepted');
  });

  it('is covered in every member', () => {
    const others: Record<string, unknown> = {
      protocol_version: 2,
      error: { code: 'X', message: 'x' },
      effective_capabilities: [],
      artifacts: [{ artifact_id: 'a', owner: 'oab-b', digest: signed.request_digest }],
      side_effects: [],
      event_log: { ...signed.event_log, last_sequence: 4 },
      status: 'failed',
      signed_at: '2026-12-01T00:00:02.000Z',
    };
    for (const member of Object.keys(signed) as (keyof ResultEnvelope)[]) {
      if (member === 'attestation') continue;
      const value = signed[member];
      const other = others[member] ?? String(value).replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      assert.notEqual(reason({ ...signed, [member]: other }), 'accepted', member);
    }
  });

  it('is refused for each trick with its header or key', () => {
    const header = (change: object) =>
      Buffer.from(JSON.stringify({ alg: 'EdDSA', kid: 'k1', typ: 'oab-result+jws', ...change })).toString(
        'base64url',
      );
    const bent = (change: object) => ({
      ...signed,
      attestation: { ...signed.attestation, protected: header(change) },
    });
    for (const change of [
      { alg: 'none' },
      { alg: 'HS256' },
      { typ: 'JWT' },
      { kid: 'k2' },
      { jku: 'x' },
      { jwk: {} },
      { crit: ['b64'], b64: false },
    ]) {
      assert.equal(reason(bent(change)), 'HEADER_INVALID', JSON.stringify(change));
    }
    assert.equal(openEnvelope(signed, () => undefined) && 'KEY_UNKNOWN', 'KEY_UNKNOWN');
    assert.equal(reason(signed, { ...key, state: 'revoked' }), 'KEY_REVOKED');
    assert.equal(
      reason(signed, { ...key, state: 'retired', notAfter: Date.parse(signed.signed_at) }),
      'accepted',
    );
    assert.equal(
      reason(signed, { ...key, state: 'retired', notAfter: Date.parse(signed.signed_at) - 1 }),
      'KEY_NOT_VALID',
    );
    assert.equal(reason(signed, { ...key, state: 'retired' }), 'KEY_NOT_VALID');
    const raw = (text: string) => ({
      ...signed,
      attestation: { ...signed.attestation, protected: Buffer.from(text).toString('base64url') },
    });
    for (const text of [
      '{"alg":"none","alg":"EdDSA","kid":"k1","typ":"oab-result+jws"}',
      '{"alg":"EdDSA","kid":"k1"}',
      '[]',
      'no JSON',
    ]) {
      assert.equal(reason(raw(text)), 'HEADER_INVALID', text);
    }
    // The same three members in another order are an exact header; its signature is another.
    assert.equal(reason(raw('{"typ":"oab-result+jws","kid":"k1","alg":"EdDSA"}')), 'SIGNATURE_INVALID');
    const padded = { ...signed.attestation, protected: `${signed.attestation.protected}=` };
    assert.equal(reason({ ...signed, attestation: padded }), 'HEADER_INVALID');
    assert.equal(reason(signed, { ...key, notBefore: Date.parse(signed.signed_at) + 1 }), 'KEY_NOT_VALID');
    assert.equal(reason(signed, { ...key, key: keyPair().publicKey }), 'SIGNATURE_INVALID');
    const tail = signed.attestation.signature;
    assert.equal(
      reason({ ...signed, attestation: { ...signed.attestation, signature: `${tail}A` } }),
      'SIGNATURE_INVALID',
    );
    assert.equal(reason({ ...signed, more: 1 }), 'MALFORMED_ENVELOPE');
  });
});
