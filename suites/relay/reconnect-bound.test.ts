import assert from 'node:assert/strict';
import { USUAL } from '../../src/harness/subjects/reference-executor.js';
import { boundOf, stepAfter } from './reconnect-bound.js';

describe('the bound of a reconnect', () => {
  const backoff = { floorMs: 100, ceilingMs: 1000 };

  it('knows the longest step that a back-off can have come to', () => {
    // Step 200 is waited for after 50 ms at the earliest, 400 after 150, 800 after 350.
    for (const [outage, step] of [
      [0, 100],
      [49, 100],
      [50, 200],
      [149, 200],
      [150, 400],
      [350, 800],
      [750, 1000],
      [99_999, 1000],
    ] as const)
      assert.equal(stepAfter(backoff, outage), step, `after ${outage} ms`);
  });

  it('is made of what the subjects are configured with', () => {
    const settings = {
      ...USUAL,
      heartbeatMs: 200,
      reconnect: backoff,
      ping: { intervalMs: 100, timeoutMs: 900 },
    };
    const bound = (link: 'coordinator' | 'executor', silent: boolean, outageMs = 0) =>
      boundOf({ link, silent, outageMs }, backoff, settings, 10);
    assert.deepEqual(bound('coordinator', false), { detectionMs: 0, stepMs: 100, boundMs: 140 });
    assert.deepEqual(bound('coordinator', true), { detectionMs: 500, stepMs: 100, boundMs: 640 });
    assert.deepEqual(bound('coordinator', false, 200), { detectionMs: 0, stepMs: 400, boundMs: 440 });
    // The tunnel's own step, and then the coordinator's, which has grown meanwhile.
    assert.deepEqual(bound('executor', false), { detectionMs: 0, stepMs: 300, boundMs: 340 });
    assert.deepEqual(bound('executor', true), { detectionMs: 1000, stepMs: 1100, boundMs: 2140 });
  });
});
