/** Public reports about events that sit in a compressor's window or in a hop's buffer until more of them come. */
import assert from 'node:assert/strict';
import { until } from '../../src/harness/lab/deadline.js';
import { isTerminalFrame } from '../../src/harness/run/observe.js';
import type { Session } from '../../src/harness/wire/probe.js';
import { fieldReport } from './field-report.js';

/** What a reader that can decompress says of itself. */
const OFFERS: Readonly<Record<string, Record<string, string>>> = {
  JSONRPC: { 'Accept-Encoding': 'gzip, deflate, br' },
  'HTTP+JSON': { 'Accept-Encoding': 'gzip, deflate, br' },
  WSS: { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' },
  OAB: { 'Sec-WebSocket-Extensions': 'permessage-deflate; client_max_window_bits' },
};
const EVENTS = 8;
/** From an event's emission to its arrival; of the reports, A2A 3.1.2 says only "immediate". */
const AT_ONCE_MS = 250;

const says = ({ frames }: Session, text: string) =>
  frames.some(({ json }) => JSON.stringify(json).includes(text));

for (const binding of ['JSONRPC', 'HTTP+JSON', 'WSS', 'OAB'] as const) {
  const cell = { binding, topology: 'dual-outbound' } as const;

  fieldReport(
    'OPEN-24',
    `${binding}: each event arrives by itself, whatever compression its reader takes`,
    async (lab) => {
      // No heartbeat comes to push an event on.
      const executor = await lab.fresh({ heartbeatMs: 15_000 });
      const steps = Array.from({ length: EVENTS }, (_, index) => index + 1);
      const script = steps.flatMap((n) => [`effect e${n}`, `say number ${n}.`, `hold h${n}`]);
      const request = lab.script(executor, 's', script);
      const session = executor.probe().createStreaming(request, { headers: OFFERS[binding] ?? {} });
      const came: number[] = [];
      for (const n of steps) {
        // The agent says nothing more before this has been seen.
        await session.until(() => says(session, `number ${n}.`));
        came.push(Date.now());
        assert.equal(session.heartbeats(), 0);
        await executor.holds.release(lab.scriptId('s'), `h${n}`);
      }
      await session.until((frames) => frames.some(isTerminalFrame));
      assert.deepEqual(session.strange(), []);
      const ledger = await executor.holds.ledger(lab.scriptId('s'));
      const said = ledger.filter(({ kind }) => kind === 'effect').map(({ at }) => Number(at));
      const took = came.map((at, index) => at - (said[index] ?? 0));
      lab.evidence('took.json', took);
      // A machine may be late now and then; whoever holds events back is late each time.
      assert.ok(Math.min(...took) < AT_ONCE_MS, `${took} ms`);
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
      const session = executor.probe().createStreaming(request, { headers: OFFERS[binding] ?? {} });
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
