import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { cursorOf, positionOf } from './cursor.js';

describe('a cursor', () => {
  it('carries the HMAC of node, whatever the secret and the task', () => {
    const secrets = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(
        secrets,
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 1 }),
        (secret, taskId, sequence) => {
          const hmac = createHmac('sha256', secret).update(`${taskId}\n${sequence}`).digest();
          const tag = hmac.subarray(0, 12).toString('base64url');
          assert.equal(cursorOf(secret, taskId, sequence), `c${sequence}.${tag}`);
        },
      ),
    );
  });

  it('names its position to its task alone', () => {
    const secret = randomBytes(32);
    const cursor = cursorOf(secret, 't', 12);
    assert.equal(positionOf(secret, 't', cursor), 12);
    assert.equal(positionOf(secret, 'u', cursor), undefined);
    assert.equal(positionOf(randomBytes(32), 't', cursor), undefined);
    assert.equal(positionOf(secret, 't', '0'), 0);
  });
});
