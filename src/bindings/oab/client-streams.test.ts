/** What a coordinator makes of a peer that breaks the protocol: a disconnect or a refusal, and never an outcome. */
import assert from 'node:assert/strict';
import { requestOf } from '../../executor/testing/harness.js';
import { KEY } from '../../profile/names.js';
import { hostileServers, signal } from './testing/hostile.js';
import { gap, item, streamEnd, TASK, TOLD } from './testing/raw-server.js';

type Json = Record<string, unknown>;

describe('the custom OAB protocol’s client, towards a peer that is not as it should be', () => {
  const { open, answering, telling, items, heard, unreachable, brokenOff } = hostileServers();
  const { request } = requestOf({ task: 'x' });

  describe('in a stream', () => {
    it('leaves one that sends an item of a stream that nobody asked for', async () => {
      const { server, peer } = await answering('create', ({ id }, say) => {
        say.frame({ jsonrpc: '2.0', id: id + 1, result: item(1) });
        say.frame({ jsonrpc: '2.0', id, result: TOLD });
      });
      await unreachable(peer.create(request, { signal: signal() }), /nothing that was asked/);
      await server.closed[0];
    });

    const streams: [string, (Json | string | ((id: number) => Json))[], number[], RegExp][] = [
      ['an item twice', items(1, 2, 2, 3), [1, 2], /event 2 in the place of event 3/],
      ['items in another order', items(1, 3, 2), [1], /event 3 in the place of event 2/],
      ['a hole', items(1, 2, 5), [1, 2], /event 5 in the place of event 3/],
      ['a beginning elsewhere', items(2, 3), [], /event 2 in the place of event 1/],
      ['a gap in mid-stream', [item(1), gap(3), item(4)], [1], /a gap in mid-stream/],
      ['two gaps', [gap(2), gap(3), item(4)], [-2], /a gap in mid-stream/],
      ['a gap with an event in it', [{ ...gap(2), event: item(3) }, item(3)], [], /no gap/],
      ['a gap and not what follows it', [gap(2), item(4)], [-2], /event 4 in the place of event 3/],
      ['an event of another task', [strange({ taskId: 't-2' })], [], /another task/],
      [
        'an event that brings its own result',
        [strange({ metadata: { [KEY.result]: { status: 'completed' } } })],
        [],
        /as the chain hashes it/,
      ],
      ['an item that is no event', [{ ...item(1), event: { task: TOLD } }], [], /no event/],
      ['an item with a member more', [{ ...item(1), more: 1 }], [], /no event/],
      ['a cursor that none is', [{ ...item(1), cursor: 'a,b' }], [], /no event: cursor/],
      [
        'an end that is called complete and has no terminal event',
        [...items(1, 2), 'complete'],
        [1, 2],
        /complete/,
      ],
      ['an end for a reason that none is', [item(1), 'finished'], [1], /no server sends/],
      [
        'an end of another stream',
        [item(1), (id) => streamEnd(id + 7, 'complete')],
        [1],
        /nothing that was asked/,
      ],
      [
        'an error in mid-stream',
        [item(1), (id) => failure(id, 'TASK_NOT_FOUND')],
        [1],
        /broke off: TASK_NOT_FOUND/,
      ],
    ];
    for (const [name, frames, expected, why] of streams) {
      it(`takes ${name} for a disconnect`, async () => {
        const { peer } = await telling(...frames);
        brokenOff(await heard(peer), expected, why);
        // Of that nothing is concluded, and the next reading begins where the reader stands.
        assert.equal((await peer.get(TASK, undefined, { signal: signal() })).task.id, TASK);
      });
    }

    it('takes an end before the terminal event for a disconnect, whatever it is called', async () => {
      for (const reason of ['interrupted', 'cancelled']) {
        const { peer } = await telling(...items(1, 2), reason);
        assert.deepEqual(await heard(peer), { sequences: [1, 2], ended: false, end: undefined });
      }
      const { peer } = await telling('complete');
      assert.deepEqual(await heard(peer), { sequences: [], ended: false, end: undefined });
    });

    describe('that it reads a log again from', () => {
      const reading = (state: string, sequences: number[], end: string) =>
        open({
          take({ id, method }, say) {
            const result = (json: Json) => say.frame({ jsonrpc: '2.0', id, result: json });
            if (method === 'get') {
              const status = { ...(TOLD.status as Json), state: `TASK_STATE_${state}` };
              result({ ...TOLD, status, sequence: 5, cursor: 'c5' });
            } else if (method === 'events') {
              for (const one of items(...sequences)) result(one);
              say.frame(streamEnd(id, end));
            } else return false;
            return true;
          },
        });
      for (const state of ['WORKING', 'COMPLETED']) {
        it(`takes an end before its time for no end of the log (${state})`, async () => {
          for (const end of ['interrupted', 'cancelled']) {
            const { peer } = await reading(state, [1, 2], end);
            await unreachable(peer.get(TASK, '0', { signal: signal() }), /not read to its end/);
          }
        });
      }
      it('has it whole with the terminal event, whatever the end is called', async () => {
        for (const end of ['complete', 'interrupted']) {
          const { peer } = await reading('COMPLETED', [1, 2, 3, 4, 5], end);
          const { page } = await peer.get(TASK, '0', { signal: signal() });
          assert.deepEqual([page?.events.length, page?.next, page?.complete], [5, '', true]);
        }
      });
    });

    it('hears of nothing behind the terminal event', async () => {
      const { server, peer } = await telling(...items(1, 2, 3, 4, 5), item(6, 'WORKING'));
      const { sequences, end } = await heard(peer);
      assert.deepEqual(sequences, [1, 2, 3, 4, 5]);
      assert.match(String(end), /behind the terminal event/);
      await server.closed[0];
    });

    it('says where it stands, and takes a gap for what it is from there', async () => {
      const { server, peer } = await telling(gap(3), ...items(4, 5), 'complete');
      const { sequences, ended } = await heard(peer, { cursor: 'c1', sequence: 1 });
      assert.deepEqual([sequences, ended], [[-3, 4, 5], true]);
      assert.deepEqual(server.requests.at(-1)?.params, { task_id: TASK, cursor: 'c1' });
      const further = await heard(peer, { cursor: 'c4', sequence: 4 });
      brokenOff(further, [], /a gap that is none/);
    });

    it('leaves one that sends more than there is credit for', async () => {
      const { server, peer } = await answering('events', ({ id }, say) => {
        for (let sequence = 1; sequence <= 65; sequence += 1)
          say.frame({ jsonrpc: '2.0', id, result: item(sequence, 'WORKING') });
      });
      // It reads the first and then nothing more for as long as the connection lives.
      const reading = peer.observe(TASK, { signal: signal() })[Symbol.asyncIterator]();
      await reading.next();
      await server.closed[0];
      const rest = async () => {
        for (;;) if ((await reading.next()).done === true) return;
      };
      await unreachable(rest(), /credits/);
    });

    it('gives credit as it reads, and no more', async () => {
      const most = 200;
      let credit = 64;
      const { server, peer } = await answering('events', ({ id }, say) => {
        let sent = 0;
        const more = () => {
          for (; credit > 0 && sent < most; credit -= 1) {
            sent += 1;
            say.frame({ jsonrpc: '2.0', id, result: item(sent, sent === most ? 'COMPLETED' : 'WORKING') });
          }
          if (sent === most) say.frame(streamEnd(id, 'complete'));
        };
        server.open[0]?.on('message', (data) => {
          const frame = JSON.parse(String(data)) as { method: string; params: { events: number } };
          if (frame.method !== '$/credit') return;
          credit += frame.params.events;
          assert.ok(credit <= 64, `${credit} credits`);
          more();
        });
        more();
      });
      const { sequences, ended } = await heard(peer);
      assert.deepEqual([sequences.length, ended], [most, true]);
    });

    it('notices a silent link by 2.5 heartbeats', async () => {
      const { server, peer } = await answering('events', ({ id }, say) => {
        say.frame({ jsonrpc: '2.0', id, result: item(1) });
        // Nothing is read or written from here on, pings included.
        server.open[0]?.pause();
      });
      brokenOff(await heard(peer), [1], /2\.5 heartbeats/);
    });
  });
});

function strange(more: Json): Json {
  const one = item(1) as { event: { statusUpdate: Json } };
  return { ...one, event: { statusUpdate: { ...one.event.statusUpdate, ...more } } };
}

const failure = (id: number, reason: string): Json => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32001, message: 'x', data: { reason } },
});
