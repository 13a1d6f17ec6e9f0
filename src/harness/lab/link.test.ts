import assert from 'node:assert/strict';
import { openEmbedded } from '../faults/embedded/open-embedded.js';
import type { Injector } from '../faults/injector.js';
import { converse, hangUp } from '../faults/toxiproxy/testing/converse.js';
import { openLab, sharedInjector } from './lab.js';
import { openLink } from './link.js';

describe('a link', () => {
  let injector: Injector;
  before(async () => {
    injector = await openEmbedded();
  });
  afterEach(hangUp);
  after(() => injector.close());

  it('is a tap alone until a fault needs a proxy; from then on new connections pass both', async () => {
    const link = await openLink('ab', injector.echo, async () => injector);
    assert.equal(link.connect, `127.0.0.1:${link.tap.address.port}`);
    const early = await converse(link.address);
    early.send(Buffer.from('early'));
    await early.received(5);
    assert.deepEqual([link.injector], [undefined]);
    const proxy = await link.proxy();
    assert.equal(await link.proxy(), proxy, 'one proxy per link');
    assert.equal(link.injector?.kind, 'embedded');
    await proxy.addToxic({ type: 'limit_data', attributes: { bytes: 3 } });
    const late = await converse(link.address);
    late.send(Buffer.from('later'));
    assert.equal((await late.outcome(5)).bytes, 3);
    early.send(Buffer.from('still'));
    await early.received(10);
    assert.equal((await link.tap.connection(1)).recorded('downstream').toString(), 'lat');
    await link.close();
    assert.ok(!(proxy.name in ((await (await fetch(`${injector.url}/proxies`)).json()) as object)));
  });

  it('whose injector can not be had says so to whoever asks, and closes', async () => {
    const link = await openLink('ab', injector.echo, () => Promise.reject(new Error('no injector')));
    await assert.rejects(link.proxy(), /no injector/);
    await link.close();
  });

  it('of a lab has an injector that was proven, one for all labs of a run', async () => {
    const labs = [
      await openLab({ caseId: 'a', seed: '1' }),
      await openLab({ caseId: 'b', seed: '1' }),
    ] as const;
    assert.equal(await sharedInjector.used(), undefined);
    const [a, b] = await Promise.all(labs.map((lab) => lab.link('ab', injector.echo)));
    await Promise.all([a?.proxy(), b?.proxy()]);
    assert.equal(a?.injector, b?.injector);
    assert.equal(await sharedInjector.used(), a?.injector);
    await Promise.all(labs.map((lab) => lab.close()));
    await sharedInjector.close();
    const url = process.env.TOXIPROXY_URL;
    process.env.TOXIPROXY_URL = 'http://127.0.0.1:1';
    try {
      const lab = await openLab({ caseId: 'c', seed: '1' });
      const link = await lab.link('ab', injector.echo);
      await assert.rejects(link.proxy(), { name: 'Undetermined', message: /fault injector could not/ });
      assert.equal(await sharedInjector.used(), undefined);
      await lab.close();
    } finally {
      await sharedInjector.close();
      if (url === undefined) delete process.env.TOXIPROXY_URL;
      else process.env.TOXIPROXY_URL = url;
    }
  });
});
