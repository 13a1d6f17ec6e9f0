import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { acceptResult, type Expectation, type Received } from './acceptance.js';
import { artifactDigest } from './artifacts.js';
import { jcs, sha256 } from './canonical.js';
import { firstHead, headAfter } from './chain.js';
import { openEnvelope, type ResultKey } from './envelope.js';
import { ProfileError, type Reason } from './errors.js';
import { requestFromParams } from './message.js';
import type { DelegationRequest, Digest, ResultEnvelope, Task } from './model.js';
import { parseRequest, requestDigest } from './request.js';
import { parseStrict, StrictJsonError } from './strict-json.js';
import { wireSchemas } from './wire-schemas.js';

interface Vector {
  name: string;
  /** The clause of docs/profile.md that says why. */
  clause: string;
  input: Record<string, unknown>;
  expect: Record<string, unknown>;
}

const READ = new Set<string>();
const load = (file: string) => JSON.parse(readFileSync(`fixtures/vectors/${file}.json`, 'utf8')) as Vector[];
const vectors = (file: string) => {
  READ.add(file);
  return load(file);
};
const specification = () => readFileSync('docs/profile.md', 'utf8');
const request = (input: Record<string, unknown>) =>
  parseRequest(input.request, { peer: String(input.executor), maxTaskBytes: 65_536 });

/**
 * The vectors are what a stranger implements against; the code must agree with the files, not the other way round.
 * Header tricks of signatures (OPEN-37), JCS numbers and order (OPEN-38), duplicate members (OPEN-39) stand among them.
 */
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
  for (const { name, input, expect } of vectors('message')) {
    it(`message: ${name}`, () => {
      let got: Record<string, unknown>;
      try {
        const self = { peer: String(input.executor), maxTaskBytes: 65_536 };
        got = { digest: requestDigest(requestFromParams(input.params, self).request) };
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
  for (const { name, input, expect } of vectors('canonical')) {
    it(`canonical: ${name}`, () => {
      let got: Record<string, unknown>;
      try {
        got = { jcs: jcs(parseStrict(String(input.json))) };
      } catch (error) {
        assert.ok(error instanceof StrictJsonError, String(error));
        got = { refused: true };
      }
      assert.deepEqual(got, expect);
    });
  }
  for (const { name, input, expect } of vectors('acceptance')) {
    it(`acceptance: ${name}`, () => {
      const { key, expected } = input as { key: Record<string, unknown>; expected: Record<string, never> };
      const trusted: ResultKey = {
        key: createPublicKey({ key: key.jwk as JsonWebKey, format: 'jwk' }),
        notBefore: Date.parse(String(key.not_before)),
        ...(key.not_after === undefined ? {} : { notAfter: Date.parse(String(key.not_after)) }),
        state: key.state as ResultKey['state'],
      };
      const accepted = acceptResult(
        {
          task: input.task as Task,
          lastSequence: Number(input.last_sequence),
          terminal: input.terminal as NonNullable<Received['terminal']>,
        },
        {
          requestId: expected.request_id,
          requestDigest: expected.request_digest,
          taskId: expected.task_id,
          turnId: expected.turn_id,
          executor: expected.executor,
          caller: expected.caller,
          requested: expected.requested,
        } as unknown as Expectation,
        (kid) => (kid === key.kid ? trusted : undefined),
      );
      assert.deepEqual('refused' in accepted ? accepted : { accepted: true }, expect);
    });
  }
  for (const { name, input, expect } of vectors('cursor')) {
    it(`cursor: ${name}`, () => {
      const position = { turn_id: 'turn-1', sequence: 1, cursor: input.cursor };
      assert.deepEqual({ well_formed: wireSchemas.event.safeParse(position).success }, expect);
    });
  }
  for (const { name, input, expect } of vectors('error')) {
    it(`error: ${name}`, () => {
      const { jsonrpc, http, a2aReason, metadata } = new ProfileError(
        input.reason as Reason,
        undefined,
        Number(input.retry_after_ms),
      );
      assert.deepEqual({ jsonrpc, http, a2a_reason: a2aReason, metadata }, expect);
    });
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

  it('are all read: those of tokens by src/identity, each other file here, each case by a test of its name', function () {
    const titles = new Set(this.test?.parent?.tests.map(({ title }) => title));
    for (const file of READ)
      for (const { name } of load(file))
        assert.ok(titles.has(`${file}: ${name}`), `${file}: ${name}: no test`);
    const files = readdirSync('fixtures/vectors').filter((file) => file.endsWith('.json'));
    assert.deepEqual(files.sort(), [...READ, 'token'].map((file) => `${file}.json`).sort());
  });

  it('name themselves once, and the clause of the specification that they rest on', () => {
    const headings = [...specification().matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(
      ([, clause]) => clause,
    );
    for (const file of [...READ, 'token']) {
      const list = load(file);
      assert.equal(new Set(list.map(({ name }) => name)).size, list.length, `${file}: a name stands twice`);
      for (const { name, clause } of list)
        assert.ok(headings.includes(clause), `${file}: ${name}: no clause ${clause} in docs/profile.md`);
    }
  });

  it('are the worked examples of the specification, byte for byte', () => {
    const of = (file: string, name: string) => {
      const found = load(file).find((vector) => vector.name === name);
      assert.ok(found, `${file}: ${name}`);
      return found;
    };
    const shown = specification().slice(specification().indexOf('## 12.'));
    const [head0, head1] = of('chain', 'canonical').expect.heads as string[];
    const sealed = of('envelope', 'honest').input.envelope as ResultEnvelope;
    const { attestation, result_digest, ...rest } = sealed;
    const events = of('chain', 'canonical').input.events as unknown[];
    for (const text of [
      of('request', 'plain').expect.digest,
      head0,
      head1,
      jcs(events[0]),
      jcs(of('artifact', 'text in two parts').input.artifact),
      of('artifact', 'text in two parts').expect.digest,
      jcs(rest),
      result_digest,
      attestation.protected,
      attestation.signature,
      of('token', 'honest, bound to a request').input.token,
    ])
      assert.ok(shown.includes(String(text)), `not in section 12 of docs/profile.md: ${String(text)}`);
    const hashed = shown.split('\n').find((line) => line.startsWith('{"budget"'));
    assert.equal(sha256(String(hashed)), of('request', 'plain').expect.digest);
  });
});
