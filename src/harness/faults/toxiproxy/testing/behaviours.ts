/** What Toxiproxy does, as small experiments: the stand-in must show the same, the real server proves that it is so. */

import type { InjectorProxy } from '../../injector.js';
import { type Conversation, converse, lower, type Observation } from './converse.js';

export interface Behaviour {
  name: string;
  /** Makes its connections through `proxy`, whose upstream is an echo peer. */
  run(proxy: InjectorProxy): Promise<Observation>;
  expect: Observation;
}

const text = (length: number) => Buffer.alloc(length, 'abcdefghij');

/** Sends 1,000 bytes on a new connection and says what comes back, and how it ends within the time. */
async function exchange(proxy: InjectorProxy, bytes = 1000): Promise<{ bytes: number; end: string }> {
  const one = await converse(proxy.address);
  one.send(text(bytes));
  return one.outcome(bytes);
}

async function live(proxy: InjectorProxy): Promise<Conversation> {
  const one = await converse(proxy.address);
  one.send(text(10));
  await one.received(10);
  return one;
}

const downstream: Behaviour[] = [
  {
    name: 'no toxic: everything passes',
    run: (proxy) => exchange(proxy, 300_000),
    expect: { bytes: 300_000, end: 'open' },
  },
  {
    name: 'limit_data: exactly N bytes, then an end',
    async run(proxy) {
      await proxy.addToxic({ type: 'limit_data', attributes: { bytes: 137 } });
      return exchange(proxy);
    },
    expect: { bytes: 137, end: 'closed' },
  },
  {
    name: 'limit_data of exactly what comes: all of it, then an end',
    async run(proxy) {
      await proxy.addToxic({ type: 'limit_data', attributes: { bytes: 1000 } });
      return exchange(proxy);
    },
    expect: { bytes: 1000, end: 'closed' },
  },
  {
    name: 'limit_data of 0: nothing happens before the first byte, nothing of it passes',
    async run(proxy) {
      await proxy.addToxic({ type: 'limit_data', attributes: { bytes: 0 } });
      const one = await converse(proxy.address);
      const before = await one.outcome(1, 100);
      one.send(text(10));
      return { ...(await one.outcome(10)), before: before.end };
    },
    expect: { bytes: 0, end: 'closed', before: 'open' },
  },
  {
    name: 'limit_data counts from when it was put on the connection',
    async run(proxy) {
      const one = await live(proxy);
      await proxy.addToxic({ type: 'limit_data', attributes: { bytes: 20 } });
      one.send(text(50));
      return one.outcome(60);
    },
    expect: { bytes: 30, end: 'closed' },
  },
  {
    name: 'limit_data raised while it counts',
    async run(proxy) {
      const toxic = await proxy.addToxic({ type: 'limit_data', attributes: { bytes: 100 } });
      const one = await converse(proxy.address);
      one.send(text(60));
      await one.received(60);
      await toxic.update({ attributes: { bytes: 200 } });
      one.send(text(500));
      return one.outcome(560);
    },
    expect: { bytes: 200, end: 'closed' },
  },
  {
    name: 'limit_data in the request direction',
    async run(proxy) {
      await proxy.addToxic({ type: 'limit_data', direction: 'upstream', attributes: { bytes: 7 } });
      const one = await converse(proxy.address);
      one.send(text(50));
      const { end } = await one.outcome(50);
      return { end };
    },
    expect: { end: 'closed' },
  },
  {
    name: 'reset_peer armed first: RST at the first data, none of it passes',
    async run(proxy) {
      await proxy.addToxic({ type: 'reset_peer', attributes: { timeout: 0 } });
      return exchange(proxy);
    },
    expect: { bytes: 0, end: 'reset' },
  },
  {
    name: 'reset_peer put on a live connection: an end, but no RST',
    async run(proxy) {
      const one = await live(proxy);
      await proxy.addToxic({ type: 'reset_peer', attributes: { timeout: 0 } });
      one.send(text(10));
      return one.outcome(20);
    },
    expect: { bytes: 10, end: 'fin' },
  },
  {
    name: 'reset_peer armed with toxicity 0 and struck later: RST at the next data',
    async run(proxy) {
      const toxic = await proxy.addToxic({ type: 'reset_peer', toxicity: 0, attributes: { timeout: 0 } });
      const one = await live(proxy);
      await toxic.update({ toxicity: 1 });
      one.send(text(10));
      return one.outcome(20);
    },
    expect: { bytes: 10, end: 'reset' },
  },
  {
    name: 'timeout of 0: nothing passes, nothing ends; its removal closes',
    async run(proxy) {
      const one = await live(proxy);
      const toxic = await proxy.addToxic({ type: 'timeout', attributes: { timeout: 0 } });
      one.send(text(10));
      const during = await one.outcome(20, 200);
      await toxic.remove();
      return { ...(await one.outcome(20)), during: during.end };
    },
    expect: { bytes: 10, end: 'closed', during: 'open' },
  },
  {
    name: 'timeout: closes an idle connection, not before its time',
    async run(proxy) {
      await proxy.addToxic({ type: 'timeout', attributes: { timeout: 150 } });
      const one = await converse(proxy.address);
      const outcome = await one.outcome(1);
      return { ...outcome, early: lower(one.elapsed(), 150) };
    },
    expect: { bytes: 0, end: 'closed', early: false },
  },
  {
    name: 'timeout: each piece starts its time anew',
    async run(proxy) {
      await proxy.addToxic({ type: 'timeout', attributes: { timeout: 600 } });
      const one = await converse(proxy.address);
      for (let n = 0; n < 7; n += 1) {
        one.send(text(1));
        await one.outcome(1, 100);
      }
      return { ...(await one.outcome(1)), early: lower(one.elapsed(), 1200) };
    },
    expect: { bytes: 0, end: 'closed', early: false },
  },
  {
    name: 'slow_close: all bytes at once, the end late',
    async run(proxy) {
      await proxy.addToxic({ type: 'slow_close', attributes: { delay: 200 } });
      const one = await converse(proxy.address);
      one.send(text(100));
      await one.received(100);
      const started = one.elapsed();
      one.askEchoToEnd();
      return { ...(await one.outcome(101)), early: lower(one.elapsed() - started, 200) };
    },
    expect: { bytes: 100, end: 'closed', early: false },
  },
  {
    name: 'a half-close ends both directions',
    async run(proxy) {
      const one = await live(proxy);
      one.end();
      return one.outcome(11);
    },
    expect: { bytes: 10, end: 'closed' },
  },
];

const shaping: Behaviour[] = [
  {
    name: 'latency: not before its time, and nothing lost',
    async run(proxy) {
      await proxy.addToxic({ type: 'latency', attributes: { latency: 120, jitter: 0 } });
      const one = await converse(proxy.address);
      one.send(text(5000));
      const outcome = await one.outcome(5000);
      return { ...outcome, early: lower(one.elapsed(), 120) };
    },
    expect: { bytes: 5000, end: 'open', early: false },
  },
  {
    name: 'latency both ways adds up',
    async run(proxy) {
      await proxy.addToxic({ type: 'latency', attributes: { latency: 80, jitter: 0 } });
      await proxy.addToxic({
        type: 'latency',
        direction: 'upstream',
        attributes: { latency: 80, jitter: 0 },
      });
      const one = await converse(proxy.address);
      one.send(text(10));
      return { ...(await one.outcome(10)), early: lower(one.elapsed(), 160) };
    },
    expect: { bytes: 10, end: 'open', early: false },
  },
  {
    name: 'latency removed: what was held back comes at once, and an update takes at once',
    async run(proxy) {
      const toxic = await proxy.addToxic({ type: 'latency', attributes: { latency: 60_000, jitter: 0 } });
      const one = await converse(proxy.address);
      one.send(text(10));
      const during = await one.outcome(10, 150);
      await toxic.update({ attributes: { latency: 50_000 } });
      await toxic.remove();
      return { ...(await one.outcome(10)), during: during.bytes };
    },
    expect: { bytes: 10, end: 'open', during: 0 },
  },
  {
    name: 'toxicity 0: the toxic is shown and does nothing',
    async run(proxy) {
      await proxy.addToxic({ type: 'latency', toxicity: 0, attributes: { latency: 60_000, jitter: 0 } });
      const { toxics } = await proxy.state();
      return { ...(await exchange(proxy)), toxics: toxics.length };
    },
    expect: { bytes: 1000, end: 'open', toxics: 1 },
  },
  {
    name: 'bandwidth: no faster than its rate, nothing lost',
    async run(proxy) {
      await proxy.addToxic({ type: 'bandwidth', attributes: { rate: 100 } });
      const one = await converse(proxy.address);
      one.send(text(40_000));
      const outcome = await one.outcome(40_000);
      // 400 ms by the rate; the first 100 ms slice may pass as one.
      return { ...outcome, early: lower(one.elapsed(), 290) };
    },
    expect: { bytes: 40_000, end: 'open', early: false },
  },
  {
    name: 'bandwidth holds the sender back',
    async run(proxy) {
      await proxy.addToxic({ type: 'bandwidth', direction: 'upstream', attributes: { rate: 1 } });
      const one = await converse(proxy.address);
      return { swallowed: await one.swallows(64 * 1024 * 1024) };
    },
    expect: { swallowed: false },
  },
  {
    name: 'slicer: small pieces, nothing lost, in order',
    async run(proxy) {
      await proxy.addToxic({
        type: 'slicer',
        attributes: { average_size: 64, size_variation: 16, delay: 100 },
      });
      const one = await converse(proxy.address);
      one.send(text(4000));
      const outcome = await one.outcome(4000);
      return { ...outcome, same: one.bytes().equals(text(4000)) };
    },
    expect: { bytes: 4000, end: 'open', same: true },
  },
  {
    name: 'toxics of one direction work one behind the other',
    async run(proxy) {
      await proxy.addToxic({
        type: 'slicer',
        attributes: { average_size: 10, size_variation: 0, delay: 10 },
      });
      await proxy.addToxic({ type: 'limit_data', attributes: { bytes: 25 } });
      await proxy.addToxic({ type: 'latency', attributes: { latency: 100, jitter: 0 } });
      const one = await converse(proxy.address);
      one.send(text(100));
      return { ...(await one.outcome(100)), early: lower(one.elapsed(), 100) };
    },
    expect: { bytes: 25, end: 'closed', early: false },
  },
  {
    name: 'down: connections end, new ones are refused, and the port is the same again',
    async run(proxy) {
      const one = await live(proxy);
      await proxy.enable(false);
      const { end } = await one.outcome(11);
      const refused = await converse(proxy.address).then(
        () => 'accepted',
        (error: NodeJS.ErrnoException) => error.code ?? '',
      );
      await proxy.enable(true);
      const { enabled } = await proxy.state();
      return { end, refused, enabled, again: (await exchange(proxy)).bytes ?? 0 };
    },
    expect: { end: 'closed', refused: 'ECONNREFUSED', enabled: true, again: 1000 },
  },
];

export const behaviours: readonly Behaviour[] = [...downstream, ...shaping];
