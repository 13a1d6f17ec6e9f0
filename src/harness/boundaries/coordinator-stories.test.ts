import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openLab } from '../lab/lab.js';
import { CaseLab } from '../run/case-lab.js';
import { Evidence } from '../run/evidence.js';
import { CANCELLED, FOLLOWED, openDelegating } from './coordinator-stories.js';
import { STORE_WRITES, WRITTEN_LATER } from './store-writes.js';
import { record } from './walk.js';

describe('the coordinator stories', () => {
  it('write everything that the store’s port can write, so that every boundary is one of theirs', async () => {
    const lab = await openLab({ caseId: 'stories', seed: '1' });
    const never = async () => {
      throw new Error('no executor is shared here');
    };
    const evidence = new Evidence(join(lab.folder, 'evidence'), 'stories');
    const cell = { binding: 'JSONRPC', topology: 'direct' } as const;
    const caseLab = new CaseLab('stories', cell, lab, { executor: never }, evidence, undefined);
    try {
      const executor = await caseLab.fresh();
      const walks = [FOLLOWED, CANCELLED].map((story) => {
        const request = caseLab.script(executor, story.name, story.script);
        const job = caseLab.job(executor, executor.gate.keyFile, request);
        const subject = caseLab.stoppableCoordinator();
        return record(openDelegating(caseLab, executor, job, story.name, subject), story);
      });
      const labels = (await Promise.all(walks)).flat().map(({ label }) => label.split(' '));
      const written = new Set(labels.flat());
      const wanted = [...Object.keys(STORE_WRITES), ...Object.keys(WRITTEN_LATER)];
      assert.deepEqual(
        wanted.filter((one) => !written.has(one)),
        [],
      );
    } finally {
      await lab.close();
    }
  }).timeout(60_000);
});
