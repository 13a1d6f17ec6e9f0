import assert from 'node:assert/strict';
import type { Measurement } from './measurement.js';
import { measure, type Progress } from './run.js';
import { launcher } from './side.js';
import { table } from './table.js';

/** A measurement of two counters; `log` has the order of what was done. */
function counted(log: string[], broken = false): Measurement {
  const arm = (label: string, factor: number) => {
    let reads = 0;
    return {
      label,
      async read() {
        log.push(label);
        reads += 1;
        if (broken && reads === 2) throw new Error('one event too few');
        return reads * factor;
      },
    };
  };
  return {
    name: 'counted',
    title: 'counted things',
    unit: 'things/s',
    note: 'nothing is timed',
    aims: [
      { of: 'ratio', least: 3 },
      { of: 'first', most: 3 },
    ],
    async open() {
      return { arms: [arm('ours', 2), arm('stock', 1)], close: async () => void log.push('closed') };
    },
  };
}

describe('the rounds of a measurement', () => {
  it('read both arms in turn, after a warm-up that does not count', async () => {
    const log: string[] = [];
    const steps: Progress['step'][] = [];
    const result = await measure(counted(log), launcher([]), 3, ({ step }) => steps.push(step));
    assert.equal(log.join(' '), `${'ours stock '.repeat(4)}closed`);
    assert.deepEqual(steps, ['start', 'warm-up', 1, 2, 3]);
    assert.deepEqual(
      result.arms.map(({ readings }) => readings),
      [
        [4, 6, 8],
        [2, 3, 4],
      ],
    );
    assert.deepEqual(result.ratio, { median: 2, min: 2, max: 2, of: 'ours/stock' });
    assert.deepEqual(
      result.aims.map(({ met }) => met),
      [false, false],
    );
  });

  it('count the CPU of a reading, what collecting garbage costs apart', async () => {
    const measurement = counted([]);
    const arm = (label: string, perReading: number) => {
      let spent = 0;
      return {
        label,
        async read() {
          spent += perReading;
          return 1;
        },
        async usage() {
          const cpuBefore = spent;
          spent += 1000;
          return { heap: 0, cpuBefore, cpuAfter: spent };
        },
      };
    };
    const open = async () => ({ arms: [arm('ours', 30), arm('stock', 10)] as const, close: async () => {} });
    const { cpuRatio } = await measure({ ...measurement, open }, launcher([]), 2, () => {});
    assert.deepEqual(cpuRatio, { median: 3, min: 3, max: 3 });
  });

  it('compare the first arm with each other one, and judge no aim by an arm that is not there', async () => {
    const arm = (label: string, value: number) => ({ label, read: async () => value });
    const measurement: Measurement = {
      ...counted([]),
      aims: [
        { of: 'ratio', least: 2, over: 'stock' },
        { of: 'ratio', least: 2, over: 'nginx' },
      ],
      open: async () => ({
        arms: [arm('ours', 6), arm('stock', 3), arm('third', 2)],
        missing: [{ label: 'nginx', why: 'it is not installed' }],
        close: async () => {},
      }),
    };
    const steps: Progress['step'][] = [];
    const result = await measure(measurement, launcher([]), 1, ({ step }) => steps.push(step));
    assert.deepEqual(
      result.others?.map(({ ratio }) => ratio),
      [{ median: 3, min: 3, max: 3, of: 'ours/third' }],
    );
    assert.deepEqual(
      result.aims.map(({ met }) => met),
      [true, undefined],
    );
    assert.deepEqual(steps[1], { label: 'nginx', why: 'it is not installed' });
    const text = table([result]);
    assert.match(
      text,
      /≥ 2 met, ≥ 2 not measured\n +third 2\.00 +3\.00 +3\.00\.\.3\.00\n +nginx not measured\n/,
    );
    assert.match(text, /counted: nginx is not measured: it is not installed\./);
  });

  it('end with the first reading that fails, and close what was opened', async () => {
    const log: string[] = [];
    await assert.rejects(
      measure(counted(log, true), launcher([]), 3, () => {}),
      /one event too few/,
    );
    assert.equal(log.at(-1), 'closed');
  });

  it('are shown with their ratio, aim and note', async () => {
    const text = table([await measure(counted([]), launcher([]), 1, () => {})]);
    assert.match(
      text,
      /counted things +things\/s +ours 4\.00 +stock 2\.00 +2\.00 +2\.00\.\.2\.00 +≥ 3 MISSED/,
    );
    assert.match(text, /counted: nothing is timed\./);
  });
});
