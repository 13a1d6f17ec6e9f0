/** Public reports about events that sit in a compressor's window or in a hop's buffer until more of them come. */
import assert from 'node:assert/strict';
import type { Topology } from '../../src/harness/check.js';
import { until } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { isTerminalFrame } from '../../src/harness/run/observe.js';
import type { Session } from '../../src/harness/wire/probe.js';
import type { BindingName } from '../../src/profile/names.js';
import { fieldReport } from './field-report.js';

/** What a reader that can decompress says of itself. */
const OFFERS: Readonly<Record<BindingName, Record<string, string>>> = {
  JSONRPC: { 'Accept-Encoding': 'gzip, deflate, br' },
  'HTTP+JSON': { 'Accept-Encoding': 'gzip, deflate, br' },
  WSS: { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' },
  OAB: { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' },
};
const EVENTS = 8;
/** From an event's emission to its arrival, as often as long as without a hop between; of the reports, A2A 3.1.2 says only "immediate". */
const AT_ONCE = 10;
/** The agent's clock and ours tell no less. */
const LEAST_MS = 5;

const says = ({ frames }: Session, text: string) =>
  frames.some(({ json }) => JSON.stringify(json).includes(text));

/** How long each of the events took to a reader that offers compression, ms. */
async function delays(lab: CaseLab, binding: BindingName, topology: Topology): Promise<number[]> {
  // No heartbeat comes to push an event on.
  const executor = await lab.fresh({ heartbeatMs: 15_000 }, { topology });
  const steps = Array.from({ length: EVENTS }, (_, index) => index + 1);
  const script = steps.flatMap((n) => [`effect e${n}`, `say number ${n}.`, `hold h${n}`]);
  const request = lab.script(executor, topology, script);
  const session = executor.probe().createStreaming(request, { headers: OFFERS[binding] });
  const came: number[] = [];
  for (const n of steps) {
    // The agent says nothing more before this has been seen.
    await session.until(() => says(session, `number ${n}.`));
    came.push(Date.now());
    assert.equal(session.heartbeats(), 0);
    await executor.holds.release(lab.scriptId(topology), `h${n}`);
  }
  await session.until((frames) => frames.some(isTerminalFrame));
  assert.deepEqual(session.strange(), []);
  const ledger = await executor.holds.ledger(lab.scriptId(topology));
  const said = ledger.filter(({ kind }) => kind === 'effect').map(({ at }) => Number(at));
  assert.equal(said.length, EVENTS);
  return came.map((at, index) => at - (said[index] ?? 0));
}

for (const binding of ['JSONRPC', 'HTTP+JSON', 'WSS', 'OAB'] as const) {
  const cell = { binding, topology: 'dual-outbound' } as const;

  fieldReport(
    'OPEN-24',
    `${binding}: each event arrives by itself, whatever compression its reader takes`,
    async (lab) => {
      const [direct, relayed] = [
        await delays(lab, binding, 'direct'),
        await delays(lab, binding, 'dual-outbound'),
      ];
      lab.evidence('took.json', { direct, relayed });
      // A machine may be late now and then; whoever holds events back is late each time.
      const [least, most] = [Math.min(...relayed), AT_ONCE * Math.max(Math.min(...direct), LEAST_MS)];
      assert.ok(least < most, `${relayed} ms through a relay, ${direct} ms without`);
    },
    30_000,
    cell,
  );

  fieldReport(
    'OPEN-24',
    `${binding}: a heartbeat arrives though nothing else does`,
    async (lab) => {
      const executor = await lab.executor();
      const request = lab.script(executor, 'b', ['say waits', 'hold go', 'say end']);
      const session = executor.probe().createStreaming(request, { headers: OFFERS[binding] });
      await session.until(() => says(session, 'waits'));
      const [frames, beats] = [session.frames.length, session.heartbeats()];
      // A few bytes each: what waits for more of them waits longer than this.
      await until(() => session.heartbeats() >= beats + 4, { ms: 10_000, what: 'heartbeats', everyMs: 5 });
      assert.equal(session.frames.length, frames);
      await executor.holds.release(lab.scriptId('b'), 'go');
      await session.until((frames) => frames.some(isTerminalFrame));
    },
    30_000,
    cell,
  );
}
