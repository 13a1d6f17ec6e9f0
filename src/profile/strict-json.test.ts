import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseStrict, parseStrictBytes, StrictJsonError } from './strict-json.js';

describe('strict JSON', () => {
  it('gives what JSON.parse gives for honest documents', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        if (/\\ud[89a-f]/i.test(text) || /\d{16}/.test(text) || /e\+?\d\d/i.test(text)) return;
        assert.deepEqual(parseStrict(text), JSON.parse(text));
      }),
    );
  });

  for (const [name, text] of [
    ['a duplicate member (OPEN-39)', '{"a":1,"b":{"c":1,"c":2}}'],
    ['a duplicate that only escapes hide', '{"a":1,"\\u0061":2}'],
    ['a big integer', '{"a":9007199254740992}'],
    ['a big negative integer', '[-9007199254740993]'],
    ['a number beyond all', '[1e400]'],
    ['an integer by exponent', '[1e300]'],
    ['a lone surrogate in a value', '["\\ud800"]'],
    ['a lone surrogate in a name', '{"\\udc00":1}'],
    ['nesting beyond the limit', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['no JSON', '{"a":1'],
  ] as const) {
    it(`refuses ${name}`, () => assert.throws(() => parseStrict(text), StrictJsonError));
  }

  it('accepts at the limits', () => {
    assert.deepEqual(parseStrict('[9007199254740991,-9007199254740991,0.5,"\\ud83d\\ude00"]'), [
      9007199254740991,
      -9007199254740991,
      0.5,
      '😀',
    ]);
    parseStrict(`${'['.repeat(64)}${']'.repeat(64)}`);
    assert.deepEqual(parseStrict('{"a":"\\\\","b":{"a":"\\""},"c":[{"a":1},{"a":2}]}'), {
      a: '\\',
      b: { a: '"' },
      c: [{ a: 1 }, { a: 2 }],
    });
  });

  it('refuses bytes that are no UTF-8, and a byte order mark', () => {
    assert.throws(() => parseStrictBytes(Buffer.from([0x22, 0xff, 0x22])), StrictJsonError);
    assert.throws(() => parseStrictBytes(Buffer.from('\ufeff{}')), StrictJsonError);
  });
});
