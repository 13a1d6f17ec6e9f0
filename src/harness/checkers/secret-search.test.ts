import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { encodedNeedles, needlesOf, SecretSearch } from './secret-search.js';

const WORD = `word-${randomBytes(8).toString('hex')}`;

describe('a search for secrets', () => {
  const search = (piece: Buffer | string) => {
    const one = new SecretSearch(needlesOf('word', WORD));
    one.look(Buffer.from(piece as string));
    return one.found;
  };

  for (const [form, piece] of [
    ['plain', `{"text":"say ${WORD}"}`],
    ['UTF-16', Buffer.from(`<${WORD}>`, 'utf16le')],
    ['hex', Buffer.from(`..${WORD}..`).toString('hex')],
  ] as const) {
    it(`finds a text that is kept as ${form}, and that alone`, () => {
      assert.deepEqual(search(piece), [`word (${form})`]);
    });
  }

  for (const encoding of ['base64', 'base64url'] as const) {
    it(`finds a text inside ${encoding}, wherever it begins and ends`, () => {
      for (let before = 0; before < 6; before += 1)
        for (let behind = 0; behind < 6; behind += 1) {
          const all = Buffer.concat([randomBytes(before), Buffer.from(WORD), randomBytes(behind)]);
          assert.deepEqual(search(all.toString(encoding)), ['word (base64)']);
        }
    });
  }

  it('finds a text that a WebSocket frame masks, whatever the key and wherever it begins', () => {
    for (let before = 0; before < 6; before += 1) {
      const key = randomBytes(4);
      const all = Buffer.concat([randomBytes(before), Buffer.from(WORD), randomBytes(5)]);
      const masked = all.map((byte, at) => byte ^ (key[at % 4] ?? 0));
      assert.deepEqual(search(Buffer.from(masked)), ['word (masked)']);
    }
  });

  it('finds nothing where nothing is, and no plain text where that is no secret', () => {
    assert.deepEqual(search(WORD.slice(0, -1)), []);
    const one = new SecretSearch(encodedNeedles('word', WORD));
    one.look(Buffer.from(WORD));
    assert.deepEqual(one.found, []);
  });

  it('finds a text that lies across two pieces which overlap as it asks', () => {
    const all = Buffer.from(`xx${WORD}yy`);
    for (let cut = 1; cut < all.length; cut += 1) {
      const one = new SecretSearch(needlesOf('word', WORD));
      one.look(all.subarray(0, cut));
      one.look(all.subarray(Math.max(0, cut - one.overlap)));
      assert.deepEqual(one.found, ['word (plain)']);
    }
  });
});
