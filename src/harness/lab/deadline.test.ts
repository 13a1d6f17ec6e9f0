import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { DeadlinePassed, until, within } from './deadline.js';

describe('deadlines', () => {
  it('give what came in time, and name what did not', async () => {
    assert.equal(await within(Promise.resolve(7), 1000, 'seven'), 7);
    await assert.rejects(within(new Promise(() => {}), 10, 'the ready line'), (error: Error) => {
      assert.ok(error instanceof DeadlinePassed);
      assert.match(error.message, /the ready line: not within 10 ms/);
      return true;
    });
  });

  it('pass on what the promise or the look throws', async () => {
    await assert.rejects(within(Promise.reject(new Error('own')), 1000, 'x'), /own/);
    await assert.rejects(
      until(
        () => {
          throw new Error('look');
        },
        { ms: 1000, what: 'x' },
      ),
      /look/,
    );
  });

  it('look again on a wake-up, also on one that falls into a look', async () => {
    const source = new EventEmitter();
    let looks = 0;
    const found = await until(
      async () => {
        looks += 1;
        if (looks === 1) {
          source.emit('change');
          await Promise.resolve();
          return undefined;
        }
        return looks;
      },
      {
        ms: 5000,
        everyMs: 60_000,
        what: 'x',
        wake: (again) => {
          source.on('change', again);
          return () => source.off('change', again);
        },
      },
    );
    assert.equal(found, 2);
    assert.equal(source.listenerCount('change'), 0);
  });

  it('end when nothing comes', async () => {
    await assert.rejects(
      until(() => undefined, { ms: 20, everyMs: 5, what: 'never' }),
      DeadlinePassed,
    );
  });
});
