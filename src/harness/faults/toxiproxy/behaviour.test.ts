import assert from 'node:assert/strict';
import { openEmbedded } from '../embedded/open-embedded.js';
import type { Injector } from '../injector.js';
import { tellStory } from './testing/api-requests.js';
import { behaviours } from './testing/behaviours.js';
import { agrees, hangUp, startEndingEcho } from './testing/converse.js';

describe('the stand-in does what Toxiproxy does', () => {
  let injector: Injector;
  let echo: Awaited<ReturnType<typeof startEndingEcho>>;
  before(async () => {
    injector = await openEmbedded();
    echo = await startEndingEcho();
  });
  afterEach(hangUp);
  after(async () => {
    echo.close();
    await injector.close();
  });

  it('answers the same API', async () => assert.deepEqual(await tellStory(injector.url), []));

  for (const { name, run, expect } of behaviours) {
    it(name, async () => {
      const proxy = await injector.createProxy('behaviour', echo.address);
      const seen = await run(proxy);
      assert.ok(agrees(expect, seen), `saw ${JSON.stringify(seen)}, expected ${JSON.stringify(expect)}`);
      await proxy.remove();
    });
  }
});
