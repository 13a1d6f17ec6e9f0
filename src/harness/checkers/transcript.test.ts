import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { differenceOf, Transcript } from './transcript.js';

/** Two runs of one exchange share nothing but what was said. */
function run(text = 'said', same = true): Transcript {
  const transcript = new Transcript();
  const id = randomUUID();
  const cursor = `c1.${randomBytes(12).toString('base64url')}`;
  transcript.add('first', `{"jsonrpc":"2.0","id":${randomBytes(2).readUInt16BE()},"result":{"id":"${id}"}}`);
  transcript.add('second', {
    id: same ? id : randomUUID(),
    text,
    cursor,
    next: '',
    at: new Date(randomBytes(4).readUInt32BE()).toISOString(),
    head: `sha256:${randomBytes(32).toString('hex')}`,
    signature: randomBytes(64).toString('base64url'),
  });
  return transcript;
}

describe('a transcript', () => {
  it('is the same for two runs that said the same', () => {
    assert.equal(differenceOf(run(), run()), undefined);
    assert.equal(run().lines[0], 'first: {"jsonrpc":"2.0","id":0,"result":{"id":"<1>"}}');
  });

  it('tells where two runs said something else, or one of them more', () => {
    assert.match(differenceOf(run(), run('other')) ?? '', /^line 2, second: .*said.* \| .*other/);
    const longer = run();
    longer.add('third', 'more');
    assert.match(differenceOf(run(), longer) ?? '', /^line 3, \(nothing\): .*third: more/);
  });

  it('tells an id that stands for another thing', () => {
    assert.match(differenceOf(run(), run('said', false)) ?? '', /^line 2, second: /);
  });
});
