import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { artifactDigest } from './artifacts.js';
import { firstHead, headAfter } from './chain.js';
import { openEnvelope } from './envelope.js';
import type { ProfileError } from './errors.js';
import type { DelegationRequest, Digest } from './model.js';
import { parseRequest, requestDigest } from './request.js';

interface Vector {
  name: string;
  input: Record<string, unknown>;
  expect: Record<string, unknown>;
}

const vectors = (file: string) =>
  JSON.parse(readFileSync(`fixtures/vectors/${file}.json`, 'utf8')) as Vector[];
const request = (input: Record<string, unknown>) =>
  parseRequest(input.request, { peer: String(input.executor), maxTaskBytes: 65_536 });

/** The vectors are what a stranger implements against; the code must agree with the files, not the other way round. */
describe('test vectors', () => {
  for (const { name, input, expect } of vectors('request')) {
    it(`request: ${name}`, () => {
      let got: Record<string, unknown>;
      try {
        got = { digest: requestDigest(request(input) as DelegationRequest) };
      } catch (error) {
        got = { refused: (error as ProfileError).reason };
      }
      assert.deepEqual(got, expect);
    });
  }
  for (const { name, input, expect } of vectors('chain')) {
    it(`chain: ${name}`, () => {
      const heads: Digest[] = [firstHead(String(input.task_id), input.request_digest as Digest)];
      for (const event of input.events as unknown[]) heads.push(headAfter(heads.at(-1) as Digest, event));
      assert.deepEqual({ heads }, expect);
    });
  }
  for (const { name, input, expect } of vectors('artifact')) {
    it(`artifact: ${name}`, () => assert.deepEqual({ digest: artifactDigest(input.artifact) }, expect));
  }
  for (const { name, input, expect } of vectors('envelope')) {
    it(`envelope: ${name}`, () => {
      const key = createPublicKey({ key: input.jwk as JsonWebKey, format: 'jwk' });
      const opened = openEnvelope(input.envelope, (kid) =>
        kid === input.kid ? { key, notBefore: 0, state: 'active' } : undefined,
      );
      assert.deepEqual('refused' in opened ? { refused: opened.refused } : { accepted: true }, expect);
    });
  }
});
