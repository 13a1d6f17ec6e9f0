import assert from 'node:assert/strict';
import type { Json } from './probe.js';
import { StreamSession } from './stream-session.js';

describe('a stream session', () => {
  for (const data of ['{not json', 'null', '"text"', '{"result":"text"}']) {
    it(`shows ${data} as something strange, and goes on`, () => {
      const session = new StreamSession({ close() {}, pause() {}, resume() {} });
      const take = (json: Json) => json.result as Json | undefined;
      session.bytes(Buffer.from(`data: ${data}\n\ndata: {"result":{"task":{}}}\n\n`), take);
      assert.deepEqual(
        session.frames.map(({ kind }) => kind),
        ['other', 'task'],
      );
    });
  }
  it('names what was strange', () => {
    const session = new StreamSession({ close() {}, pause() {}, resume() {} });
    session.bytes(Buffer.from('data: {not json\n\n'), (json) => json);
    assert.deepEqual(session.strange(), ['{not json']);
    session.bytes(Buffer.from([0xff, 0x0a, 0x0a]), (json) => json);
    assert.deepEqual(session.strange(), ['{not json', 'bytes that are no UTF-8']);
  });
});
