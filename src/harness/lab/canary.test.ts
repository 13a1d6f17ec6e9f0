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

  it('is late when this process was blocked, and only for whoever waited in that time', async () => {
    const canary = await startCanary();
    try {
      const blocked = performance.now();
      while (performance.now() - blocked < 1500);
      await until(() => canary.worstSince(blocked) >= 1000, { ms: 10_000, what: 'the late echo' });
      assert.equal(canary.late(blocked, 2000), true);
      assert.equal(canary.late(performance.now(), 2000), false);
    } finally {
      await canary.close();
    }
  });
});
