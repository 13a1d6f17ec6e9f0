import assert from 'node:assert/strict';
import { startCanary } from './canary.js';
import { until } from './deadline.js';

describe('the canary', () => {
  it('is on time on a host that is', async () => {
    const canary = await startCanary();
    const calm = performance.now();
    await until(() => canary.worstSince(calm) > 0, { ms: 10_000, what: 'an echo' });
    assert.ok(canary.worstSince(calm) < 10_000);
    assert.equal(canary.late(calm, 10_000_000), false);
    await canary.close();
  });
});
