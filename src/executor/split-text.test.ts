import assert from 'node:assert/strict';
import fc from 'fast-check';
import { headOf, splitText, wellFormedHead } from './split-text.js';

const text = fc.string({ unit: 'grapheme', maxLength: 400 });
const bytes = fc.integer({ min: 16, max: 200 });

describe('split text', () => {
  it('is the text again when joined, each piece within its bytes and of whole code points (property)', () => {
    fc.assert(
      fc.property(text, bytes, (whole, limit) => {
        const pieces = splitText(whole, limit);
        assert.equal(pieces.join(''), whole);
        for (const piece of pieces) {
          assert.ok(Buffer.byteLength(JSON.stringify(piece)) <= limit);
          assert.ok(!/\p{Surrogate}/u.test(piece));
        }
      }),
    );
  });

  it('has a beginning that fits and ends at a code point (property)', () => {
    fc.assert(
      fc.property(text, bytes, (whole, limit) => {
        const head = headOf(whole, limit);
        assert.ok(whole.startsWith(head) && Buffer.byteLength(head) <= limit);
      }),
    );
  });

  it('has no half of a character left that could not be hashed or sent', () => {
    assert.equal(wellFormedHead('a\ud83d', 100), 'a\ufffd');
    assert.equal(wellFormedHead('\ude00b', 100), '\ufffdb');
    assert.equal(wellFormedHead('\u{1f600}', 100), '\u{1f600}');
  });
});
