import assert from 'node:assert/strict';
import { Undetermined } from '../check.js';
import type { Told } from './stops.js';
import { sought, stagesOf } from './walk.js';

const told = (phase: Told['phase'], label: string): Told => ({ phase, label, pid: 1 });
const done = (label: string) => [told('before', label), told('after', label)];

describe('where a task stood at a kill', () => {
  const ADMIT = 'admit SUBMITTED';
  const DISPATCH = 'append WORKING {dispatchedAt}';
  const END = 'append COMPLETED {outcome=completed terminalAt}';

  it('is what was acknowledged when the stopped write is not committed, and that write when it is', () => {
    const before = [...done(ADMIT), told('before', DISPATCH), told('stopped', DISPATCH)];
    assert.deepEqual([...stagesOf(before, 'before')], ['admitted']);
    const after = [...done(ADMIT), ...done(DISPATCH), told('stopped', DISPATCH)];
    assert.deepEqual([...stagesOf(after, 'after')], ['dispatched']);
    assert.deepEqual([...stagesOf([told('before', ADMIT), told('stopped', ADMIT)], 'before')], ['none']);
  });

  it('is one of two when another write was on its way to the disk', () => {
    const account = [...done(ADMIT), ...done(DISPATCH), told('before', END), ...done('audit start')];
    assert.deepEqual(
      [...stagesOf([...account, told('stopped', 'audit start')], 'after')],
      ['dispatched', 'ended'],
    );
  });

  it('knows an end by a rejection, and a stop that was recorded before any dispatch', () => {
    assert.deepEqual([...stagesOf(done('admit SUBMITTED+REJECTED'), 'after')], ['ended']);
    const cancel = 'append SUBMITTED cancel {cancelRequestedAt stopCause=cancel}';
    assert.deepEqual([...stagesOf([...done(ADMIT), ...done(cancel)], 'after')], ['cancelled']);
  });
});

describe('a place that is sought', () => {
  it('is sought again, and given up as undetermined', async () => {
    let tries = 0;
    const found = await sought('x', async () => {
      tries += 1;
      return tries === 2 ? 'here' : undefined;
    });
    assert.deepEqual([found, tries], ['here', 2]);
    await assert.rejects(
      sought('x', async () => undefined),
      Undetermined,
    );
  });
});
