import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { KeyState } from './ports.js';
import { verifyToken } from './token.js';

interface Vector {
  name: string;
  input: {
    token: string;
    audience: string;
    now: string;
    skew_ms: number;
    window_seconds: number;
    keys: {
      peer: string;
      kid: string;
      jwk: JsonWebKey;
      not_before: string;
      not_after?: string;
      state: KeyState;
    }[];
  };
  expect: { accepted: unknown } | { refused: string };
}

/** OPEN-37. The vectors are what a stranger implements against; the words of a refusal are ours, that it is one is the contract. */
describe('token vectors', () => {
  for (const { name, input, expect } of JSON.parse(
    readFileSync('fixtures/vectors/token.json', 'utf8'),
  ) as Vector[]) {
    it(name, async () => {
      const verified = await verifyToken(input.token, {
        audience: input.audience,
        find(peer, kid) {
          const entry = input.keys.find((key) => key.peer === peer && key.kid === kid);
          return (
            entry && {
              kid,
              key: createPublicKey({ key: entry.jwk, format: 'jwk' }),
              notBefore: Date.parse(entry.not_before),
              ...(entry.not_after === undefined ? {} : { notAfter: Date.parse(entry.not_after) }),
              state: entry.state,
            }
          );
        },
        now: Date.parse(input.now),
        skewMs: input.skew_ms,
        windowMs: input.window_seconds * 1000,
      });
      assert.deepEqual('refused' in verified ? verified : { accepted: verified.claims }, expect);
    });
  }
});
