import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import type { Link } from '../lab/ports.js';
import { BOUNDS, CAPSULE_SCHEMA, type Capsule, capsuleSchema } from './capsule.js';
import { type Failure, makeCapsule, type RanOnce } from './make-capsule.js';
import { BadCapsule, readCapsule, selectionOf } from './read-capsule.js';
import { sameFailure } from './same-failure.js';
import { secretsBelow } from './secrets.js';

const SCHEMA_FILE = 'docs/schemas/capsule.schema.json';

/** A link over which this text came. */
const linkOf = (text: string, connections = 1, chunks = 1): Link =>
  ({
    name: 'l',
    tap: {
      connections: Array.from({ length: connections }, (_, index) => ({
        index,
        opened_ms: 1.23,
        ended: { upstream: 'fin', downstream: 'reset' },
        received: { upstream: 1, downstream: text.length },
        wire: Array.from({ length: chunks }, (_one, n) => ({
          at_ms: n,
          direction: 'downstream',
          offset: n,
          length: 1,
          bytes: Buffer.from('x'),
        })),
        plain: () => Buffer.from(text),
      })),
    },
  }) as unknown as Link;
const ran = (more: Partial<RanOnce> = {}): RanOnce => ({
  findings: [{ rule: 'order', subject: 's', what: 'event 3 follows 1' }],
  sweeps: [{ name: 'cuts', of: 16, points: [{ index: 4, point: { kind: 'reset' } }] }],
  steps: [{ at_ms: 1, on: 'l', what: 'cut', detail: { at: 'now' } }],
  exchanges: [{ at_ms: 1, session: 'get 1', status: '200', sent: 'a', received: 'b' }],
  links: [linkOf('hello')],
  ...more,
});
const capsuleOf = (run: RanOnce, more: Partial<Failure> = {}): Capsule =>
  makeCapsule({
    case: 'RPL-03/JSONRPC/direct/reset',
    seed: 7,
    defect: undefined,
    reason: 'event 3 was never received',
    first: run,
    smallest: run,
    shrunk: null,
    injector: 'none',
    secrets: new Set(),
    ...more,
  });

describe('a failure capsule', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oab-capsule-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (content: unknown): string => {
    const path = join(folder, 'capsule.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };

  it('is read back as it was written, with the points that it names', () => {
    const capsule = capsuleOf(ran());
    assert.deepEqual(readCapsule(write(capsule)), capsule);
    assert.deepEqual(selectionOf(capsule), { cuts: [4] });
  });

  it('is published as the schema that the code uses (OAB_WRITE_SCHEMAS=1 rewrites it)', () => {
    const text = `${JSON.stringify({ $id: CAPSULE_SCHEMA, ...z.toJSONSchema(capsuleSchema) }, null, 2)}\n`;
    if (process.env.OAB_WRITE_SCHEMAS === '1') writeFileSync(SCHEMA_FILE, text);
    assert.equal(readFileSync(SCHEMA_FILE, 'utf8'), text);
  });

  it('keeps within its bounds and says what it left out', () => {
    const many = ran({
      sweeps: [
        { name: 'cuts', of: 5000, points: Array.from({ length: 5000 }, (_, index) => ({ index, point: 1 })) },
      ],
      steps: Array.from({ length: 5000 }, () => ({ at_ms: 1, on: 'l', what: 'cut' })),
      exchanges: Array.from({ length: 500 }, () => ({
        at_ms: 1,
        session: 's',
        status: '200',
        received: 'y'.repeat(9000),
      })),
      links: Array.from({ length: 100 }, () => linkOf('z'.repeat(100_000), 3, 500)),
    });
    const capsule = capsuleSchema.parse(capsuleOf(many));
    assert.ok(JSON.stringify(capsule).length <= BOUNDS.file);
    assert.ok(capsule.journal.left_out.some((what) => /^68 links$/.test(what)));
    assert.ok(capsule.journal.left_out.some((what) => /4400 points of cuts/.test(what)));
    // Control characters take six characters each: the wire goes, the file stays JSON.
    const wild = capsuleOf(
      ran({
        links: Array.from({ length: 32 }, () => linkOf('\u0001'.repeat(100_000))),
        exchanges: Array.from({ length: 24 }, () => ({
          at_ms: 1,
          session: 's',
          status: '200',
          sent: '\u0001'.repeat(9000),
          received: '\u0001'.repeat(9000),
        })),
      }),
    );
    assert.ok(JSON.stringify(wild).length <= BOUNDS.file);
    assert.match(wild.journal.left_out.join(), /the whole wire/);
  });

  it('holds no token, key or secret, plain or encoded, wherever it stood', () => {
    const key = newKey(Date.now());
    writeKeyFile(join(folder, 'gate.jwks'), [key], 'private');
    const { d = '' } = key.privateKey?.export({ format: 'jwk' }) ?? {};
    assert.ok(d.length > 40);
    const raw = Buffer.from(d, 'base64url');
    const token = `eyJhbGciOiJFZERTQSJ9.${Buffer.from('{"sub":"gate"}').toString('base64url')}.c2lnbmF0dXJl`;
    const bearer = 'authorization: Bearer opaque-secret-token';
    const forms = (text: string) => [
      text,
      Buffer.from(text).toString('base64'),
      Buffer.from(text).toString('base64url'),
      Buffer.from(`{"before":1,"${text}":"after"}`).toString('base64'),
    ];
    const secrets = [
      ...[d, raw.toString('base64'), raw.toString('hex'), token, bearer].flatMap(forms),
      `{"kty":"OKP","d":"${d}"}`,
    ];
    const text = secrets.join('\n');
    const run = ran({
      findings: [{ rule: 'privacy', subject: 's', what: text }],
      sweeps: [{ name: 'cuts', of: 1, points: [{ index: 0, point: { text } }] }],
      steps: [{ at_ms: 1, on: 'l', what: 'cut', detail: { text } }],
      exchanges: [{ at_ms: 1, session: 's', status: '200', sent: text, received: text }],
      // Where the text is cut short, a secret must not be cut so that nobody knows it any more.
      links: [linkOf(text), linkOf(`${' '.repeat(BOUNDS.text / 2 - 20)}${token}${' '.repeat(BOUNDS.text)}`)],
    });
    const capsule = capsuleOf(run, { reason: text, secrets: secretsBelow([folder]) });
    const written = JSON.stringify(capsule);
    const leaked = ['opaque-secret-token', 'c2lnbmF0dXJl', d.slice(0, 20), raw.toString('hex').slice(0, 20)]
      .flatMap((secret) => [secret, ...forms(secret).slice(1, 3)])
      .filter((secret) => written.includes(secret.replace(/=+$/, '')));
    assert.deepEqual(leaked, []);
    for (const secret of secrets) assert.ok(!written.includes(secret), secret);
    for (const run64 of written.match(/[A-Za-z0-9+/_-]{24,}/g) ?? []) {
      const decoded = Buffer.from(run64, 'base64').toString('utf8');
      assert.ok(
        !decoded.includes(d) && !decoded.includes(token) && !decoded.includes('opaque-secret'),
        run64,
      );
    }
    // What is no secret is still there.
    assert.match(
      JSON.stringify(capsuleOf(ran({ links: [linkOf('aGVsbG8gd29ybGQsIGhlbGxvIHdvcmxk')] }))),
      /aGVsbG8gd29ybGQ/,
    );
  });

  for (const [name, content, message] of [
    ['no file', undefined, /ENOENT/],
    ['no JSON', '{', /JSON/],
    ['JSON of another kind', '[]', /the file: Invalid input/],
    ['another version', { schema: `${CAPSULE_SCHEMA}0` }, /its schema is .*v10, and this program reads/],
    ['a member that is missing', { ...capsuleOf(ran()), seed: undefined }, /seed: /],
    ['a member that nobody knows', { ...capsuleOf(ran()), more: 1 }, /more/],
    ['an address that is none', { ...capsuleOf(ran()), case: 'RPL-03' }, /case: /],
  ] as [string, unknown, RegExp][]) {
    it(`of ${name} is refused in one sentence with the file’s name`, () => {
      const path = content === undefined ? join(folder, 'absent.json') : write(content);
      assert.throws(
        () => readCapsule(path),
        (error: Error) =>
          error instanceof BadCapsule && error.message.startsWith(path) && message.test(error.message),
      );
    });
  }

  it('tells one failure from another whatever ids and counts they name', () => {
    const one = 'reset0-3: event 4 of task-6e9fe855-6d25-478b-8315-e2e78cb6e74b was lost (and 2 more)';
    assert.ok(sameFailure(one, 'reset0-12: event 9 of task-00000000-0000-4000-8000-000000000000 was lost'));
    assert.ok(!sameFailure(one, 'reset0-3: event 4 came twice'));
  });
});
