import assert from 'node:assert/strict';
import { within } from '../lab/deadline.js';
import { openLink } from '../lab/link.js';
import { openTap } from '../lab/tap.js';
import { startEcho } from './echo.js';
import { openEmbedded } from './embedded/open-embedded.js';
import type { Injector, InjectorProxy } from './injector.js';
import { findServer } from './open-injector.js';
import { faults, linkFaults } from './registry.js';
import { selfTest, selfTests } from './self-test.js';
import { startToxiproxy } from './toxiproxy/start-toxiproxy.js';
import { converse, hangUp } from './toxiproxy/testing/converse.js';

const server = findServer();
const injectors: [string, () => Promise<Injector>][] = [
  ['the stand-in', () => openEmbedded()],
  ...(server === undefined
    ? []
    : [['Toxiproxy', () => startToxiproxy(server)] as [string, () => Promise<Injector>]]),
];
const kind = (name: string) => {
  const found = linkFaults.find((one) => one.name === name);
  assert.ok(found, `no fault ${name}`);
  return found;
};

for (const [name, open] of injectors) {
  describe(`faults over ${name}`, () => {
    let injector: Injector;
    before(async () => {
      injector = await open();
    });
    afterEach(hangUp);
    after(() => injector.close());
    const link = (label: string) => openLink(label, injector.echo, async () => injector);

    it('are each armed, seen to take, cleared, seen to be gone (OPEN-52)', async () => {
      assert.deepEqual(await selfTests(linkFaults, injector), []);
    });

    it('leave no proxy on the server', async () => {
      const left = (await (await fetch(`${injector.url}/proxies`)).json()) as Record<string, unknown>;
      assert.deepEqual(
        Object.keys(left).filter((proxy) => !proxy.startsWith('oab-mark-')),
        [],
      );
    });

    it('wait for their strike: a live connection is reset at the next data, and not before', async () => {
      const path = await link('later');
      const fault = kind('reset_peer').create();
      await fault.arm(path, { after_ms: 0, later: true });
      const one = await converse(path.address);
      one.send(Buffer.from('before'));
      await one.received(6);
      assert.equal(await fault.verify(200), false, 'it has not struck yet');
      await fault.strike();
      one.send(Buffer.from('after'));
      assert.deepEqual(await one.outcome(11), { bytes: 6, end: 'reset' });
      assert.ok(await fault.verify());
      await fault.clear();
      assert.ok(await fault.gone());
      await path.close();
    });

    it('of the tap strike later too, and a silence gives everything back', async () => {
      const path = await link('tap');
      const fault = kind('silence').create();
      await fault.arm(path, { later: true });
      const one = await converse(path.address);
      one.send(Buffer.from('before'));
      await one.received(6);
      await fault.strike();
      assert.ok(await fault.verify());
      one.send(Buffer.from('after'));
      assert.deepEqual(await one.outcome(11, 150), { bytes: 6, end: 'open' });
      await fault.clear();
      await one.received(11);
      assert.ok(await fault.gone());
      await path.close();
    });

    it('that take the link down strike everybody, and the link comes back', async () => {
      const path = await link('down');
      await path.proxy();
      const one = await converse(path.address);
      one.send(Buffer.from('x'));
      await one.received(1);
      const fault = kind('down').create();
      await fault.arm(path, { later: true });
      assert.equal(await fault.verify(), false);
      await fault.strike();
      assert.ok(await fault.verify());
      assert.notEqual((await one.outcome(2)).end, 'open');
      assert.equal(await fault.gone(), false);
      await fault.clear();
      assert.ok(await fault.gone());
      await path.close();
    });
  });
}

describe('a fault', () => {
  it('refuses a plan without what it needs', async () => {
    const echo = await startEcho();
    const path = await openLink('refused', echo.address, () => Promise.reject(new Error('not needed')));
    for (const { name, by, create } of linkFaults) {
      if (name === 'down') continue;
      await assert.rejects(create().arm(path, {}), TypeError, name);
      if (by === 'tap') await assert.rejects(create().strike(), TypeError, name);
    }
    await path.close();
    await echo.close();
  });

  it('that does not take is told so, and one that does not go away too', async () => {
    const injector = await openEmbedded();
    const lazy = (change: Partial<InjectorProxy>): Injector => ({
      ...injector,
      async createProxy(label, upstream) {
        return { ...(await injector.createProxy(label, upstream)), ...change };
      },
    });
    const nothing = lazy({
      addToxic: async (spec) => ({ name: 'x', spec, update: async () => {}, remove: async () => {} }),
      state: async () => ({ enabled: true, toxics: ['x'] }),
    });
    assert.match(
      (await selfTest(kind('latency'), nothing)) ?? '',
      /latency was armed, but is not seen to take/,
    );
    const sticky: Injector = {
      ...injector,
      async createProxy(label, upstream) {
        const proxy = await injector.createProxy(label, upstream);
        return {
          ...proxy,
          addToxic: async (spec) => ({ ...(await proxy.addToxic(spec)), remove: async () => {} }),
        };
      },
    };
    assert.match(
      (await selfTest(kind('limit_data'), sticky)) ?? '',
      /limit_data was cleared, but is not seen to be gone/,
    );
    const broken = lazy({ addToxic: () => Promise.reject(new Error('the server has gone')) });
    assert.equal(await selfTest(kind('timeout'), broken), 'timeout: the server has gone');
    await injector.close();
  });

  it('of the tap that nothing could strike is not said to have taken', async () => {
    const echo = await startEcho();
    const path = await openLink('idle', echo.address, () => Promise.reject(new Error('not needed')));
    const fault = kind('reset').create();
    await fault.arm(path, { at: { byte: 10 } });
    assert.equal(await fault.verify(30), false);
    await path.close();
    await echo.close();
  });

  it('has one name, one injector and one sentence', () => {
    assert.equal(new Set(faults.map(({ name }) => name)).size, faults.length);
    for (const { description } of faults) assert.ok(description.length > 20);
  });
});

describe('a tap', () => {
  it('that is closed twice, or with connections on it, is closed', async () => {
    const echo = await startEcho();
    const tap = await openTap(echo.address);
    const one = await converse(tap.address);
    await within(tap.close(), 5000, 'closing');
    assert.notEqual((await one.outcome(1)).end, 'open');
    await within(tap.close(), 5000, 'closing again');
    await echo.close();
    hangUp();
  });
});
