import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import * as ws from 'ws';
import { binaryFrame } from './frame.js';

/** The library exports it, and its types do not say so. */
const { Receiver } = ws as unknown as {
  Receiver: new (options: { isServer: boolean; maxPayload: number }) => Writable;
};

/** What the library's own reader makes of frames. */
async function read(frames: Buffer, isServer: boolean): Promise<[Buffer, boolean]> {
  const receiver = new Receiver({ isServer, maxPayload: 2 ** 20 });
  const message = once(receiver, 'message');
  receiver.end(frames);
  return (await message) as [Buffer, boolean];
}

describe('a frame of the relay', () => {
  for (const masked of [true, false])
    for (const length of [1, 2, 3, 4, 5, 125, 126, 127, 65_535, 65_536, 65_539])
      it(`is read as it was meant: ${length} bytes, ${masked ? 'masked' : 'plain'}`, async () => {
        const bytes = randomBytes(length);
        const kept = Buffer.from(bytes);
        const cut = Math.floor(length / 3);
        const frame = binaryFrame([bytes.subarray(0, cut), bytes.subarray(cut)], length, masked);
        const [message, binary] = await read(frame, masked);
        assert.ok(binary);
        assert.ok(message.equals(kept));
        assert.ok(bytes.equals(kept), 'what was given is not changed');
      });

  it('has a mask of its own each time', () => {
    const masks = Array.from({ length: 3000 }, () =>
      binaryFrame([Buffer.from([0])], 1, true)
        .subarray(2, 6)
        .toString('hex'),
    );
    assert.ok(new Set(masks).size > 2990);
  });
});
