/** Bad input, whichever binding it comes in by: what is wrong is named, with its limit, and the task that runs is unharmed (OPEN-30). */
import assert from 'node:assert/strict';
import { requestOf } from '../../executor/testing/harness.js';
import { BAD, type BadInputs } from '../testing/bad-input.js';
import { openRig, type Rig, SPOKEN, type Spoken } from '../testing/rig.js';
import { follow, newLog, pages } from './follow.js';

const signal = () => AbortSignal.timeout(10_000);

type Said = Record<keyof BadInputs, RegExp | undefined>;

const http = (names: Pick<Said, 'notJson' | 'notText' | 'unknownMethod' | 'reusedId'>): Said => ({
  // 6 × maxTaskBytes + 64 KiB, with the 64 KiB of these tests.
  tooBig: /a body above 458752 bytes/,
  compressedBomb: /a content coding: nothing is unpacked here/,
  expiredToken: /^401 /,
  politeEnd: /^nothing$/,
  ...names,
});
const frames: Said = {
  tooBig: /^closed 1009 a frame above maxFrameBytes \(4194304\)$/,
  notJson: /^-32700 .*not JSON/,
  notText: /^closed 1008 a binary frame$/,
  unknownMethod: /^-32601 /,
  reusedId: /^closed 1008 an id was used again while it was open$/,
  expiredToken: /^-32603 Authentication is required/,
  compressedBomb: /^closed 1002 .*compressed/,
  politeEnd: /^closed 100[56]/,
};
const SAID: Record<Spoken, Said> = {
  JSONRPC: http({
    notJson: /-32700.*not JSON/,
    notText: /-32700.*not UTF-8/,
    unknownMethod: /-32601/,
    reusedId: /^s: true, s: true$/,
  }),
  'HTTP+JSON': http({
    notJson: /MALFORMED.*not JSON|not JSON.*MALFORMED/,
    notText: /not UTF-8/,
    unknownMethod: /^404 .*METHOD_NOT_FOUND/,
    reusedId: undefined,
  }),
  WSS: frames,
  OAB: frames,
};

describe('bad input beside a task that runs', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  for (const binding of SPOKEN)
    it(`is named on ${binding}; the task goes on, its reader reads on, and another resumes`, async () => {
      const { request } = requestOf({ task: 'hold 3', budget: { max_output_bytes: 100_000 } });
      const reader = rig.client(binding);
      const { id } = (await reader.create(request, { signal: signal() })).task;
      await rig.opened.journal.wake(id, 2, signal());
      const log = newLog(id, request);
      await pages(reader, id, log, 2);
      const following = follow(reader, id, log);
      for (const [name, bad] of Object.entries(BAD[binding]) as [keyof BadInputs, BadInputs['tooBig']][]) {
        const expected = SAID[binding][name];
        if (expected !== undefined) assert.match(await bad(rig, id), expected, name);
      }
      rig.release();
      await following;
      const again = newLog(id, request);
      await follow(rig.client(binding), id, again);
      const { result } = await rig.client(binding).get(id, undefined, { signal: signal() });
      assert.deepEqual(
        [result?.status, again.sequences, again.head],
        ['completed', log.sequences, result?.event_log.head],
      );
      assert.equal(again.head, log.head);
    });
});
