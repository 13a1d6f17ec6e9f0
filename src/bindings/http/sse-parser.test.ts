import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EventTooLong, SseParser } from './sse-parser.js';

const parse = (text: string, cuts: number[] = []): string[] => {
  const bytes = Buffer.from(text);
  const parser = new SseParser(1000);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).flatMap((end, index) => parser.push(bytes.subarray(at[index], end)));
};

describe('the SSE parser', () => {
  for (const [name, text, expected] of [
    ['LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['CRLF (OPEN-20)', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['lone CR (OPEN-20)', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['several lines of data (OPEN-22)', 'data: a\ndata: b\n\n', ['a\nb']],
    ['no space after the colon', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
    ['comments and unknown fields', ': beat\n\nevent: x\nid: 7\nretry: 1\nwhat\ndata: a\n\n', ['a']],
    ['an event without data', 'event: x\n\ndata: a\n\n', ['a']],
    ['empty data', 'data\n\ndata:\n\n', ['', '']],
    ['an end in mid-event: nothing', 'data: a\n\ndata: b\n', ['a']],
    ['text of many bytes (OPEN-21)', 'data: é😀\u2028x\n\n', ['é😀\u2028x']],
  ] as const) {
    it(`reads ${name}, wherever the reads cut it`, () => {
      assert.deepEqual(parse(text), expected);
      fc.assert(
        fc.property(fc.array(fc.nat(200), { maxLength: 20 }), (cuts) =>
          assert.deepEqual(parse(text, cuts), expected),
        ),
      );
      const each = Array.from({ length: Buffer.byteLength(text) }, (_, at) => at);
      assert.deepEqual(parse(text, each), expected);
    });
  }

  it('names the limit that an event breaks, in one line or in many (OPEN-23)', () => {
    assert.throws(() => parse(`data: ${'x'.repeat(1001)}`), EventTooLong);
    assert.throws(() => parse('data: xxxxxxxxx\n'.repeat(101)), EventTooLong);
    assert.deepEqual(parse(`data: ${'x'.repeat(900)}\n\n`), ['x'.repeat(900)]);
  });

  it('refuses bytes that are no UTF-8', () => {
    assert.throws(() => new SseParser(100).push(Buffer.from([0x64, 0xff, 0xfe])), TypeError);
  });
});
