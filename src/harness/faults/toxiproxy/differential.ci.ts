/** The same experiments on the real server: run where set-up has built it, `mocha src/harness/faults/toxiproxy/differential.ci.ts`. */
import assert from 'node:assert/strict';
import { openEmbedded } from '../embedded/open-embedded.js';
import type { Injector } from '../injector.js';
import { findServer } from '../open-injector.js';
import { startToxiproxy } from './start-toxiproxy.js';
import { tellStory } from './testing/api-requests.js';
import { behaviours } from './testing/behaviours.js';
import { agrees, hangUp, startEndingEcho } from './testing/converse.js';

describe('Toxiproxy and the stand-in, side by side', () => {
  let real: Injector;
  let standIn: Injector;
  let echo: Awaited<ReturnType<typeof startEndingEcho>>;
  before(async () => {
    const server = findServer();
    assert.ok(server, 'no toxiproxy-server: "node src/setup/toxiproxy.mjs" builds it');
    real = await startToxiproxy(server);
    standIn = await openEmbedded();
    echo = await startEndingEcho();
  });
  afterEach(hangUp);
  after(async () => {
    echo?.close();
    await real?.close();
    await standIn?.close();
  });

  it('answer the same API', async () => {
    assert.deepEqual(await tellStory(real.url), []);
    assert.deepEqual(await tellStory(standIn.url), []);
  });

  for (const { name, run, expect } of behaviours) {
    it(name, async () => {
      for (const injector of [real, standIn]) {
        const proxy = await injector.createProxy('behaviour', echo.address);
        const seen = await run(proxy);
        await proxy.remove();
        assert.ok(
          agrees(expect, seen),
          `${injector.kind}: saw ${JSON.stringify(seen)}, expected ${JSON.stringify(expect)}`,
        );
      }
    });
  }
});
