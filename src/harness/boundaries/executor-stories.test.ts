import assert from 'node:assert/strict';
import { join } from 'node:path';
import { AUDIT_KINDS } from '../../journal/journal.js';
import { openLab } from '../lab/lab.js';
import { CaseLab } from '../run/case-lab.js';
import { Evidence } from '../run/evidence.js';
import { EXECUTOR_STORIES, EXECUTORS } from './executor-stories.js';
import { COLUMNS, JOURNAL_WRITES } from './journal-writes.js';
import { openScene } from './story.js';
import { record } from './walk.js';

/** Asks whether the store takes writes and keeps nothing; nobody in an executor asks it yet. */
const KEEPS_NOTHING = 'healthy';

describe('the executor stories', () => {
  it('write everything that the journal’s port can write, so that every boundary is one of theirs', async () => {
    const lab = await openLab({ caseId: 'stories', seed: '1' });
    const never = async () => {
      throw new Error('no executor is shared here');
    };
    const evidence = new Evidence(join(lab.folder, 'evidence'), 'stories');
    const cell = { binding: 'JSONRPC', topology: 'direct' } as const;
    const caseLab = new CaseLab('stories', cell, lab, { executor: never }, evidence, undefined);
    try {
      const walks = Object.keys(EXECUTORS).map(async (on) => {
        const subject = await caseLab.stoppable(EXECUTORS[on]);
        const labels: string[] = [];
        for (const story of EXECUTOR_STORIES.filter((one) => one.on === on)) {
          const places = await record(
            openScene(caseLab, subject, story, story.name.replaceAll(' ', '-')),
            story,
          );
          labels.push(...places.map(({ label }) => label));
        }
        // What was written before the first story: its own start.
        return [...labels, ...subject.boundaries.account().map(({ label }) => label)];
      });
      const labels = new Set((await Promise.all(walks)).flat());
      const missing = (all: readonly string[], seen: (one: string) => (label: string) => boolean) =>
        all.filter((one) => ![...labels].some(seen(one)));

      const methods = Object.keys(JOURNAL_WRITES).filter((one) => one !== KEEPS_NOTHING);
      assert.deepEqual(
        missing(methods, (one) => (label) => label.split(' ')[0] === one),
        [],
      );
      assert.deepEqual(
        missing(Object.keys(COLUMNS), (one) => (label) => label.includes(one)),
        [],
      );
      const events = ['SUBMITTED', 'WORKING', 'COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'];
      const more = ['artifact', 'artifact append', 'artifact last', 'WORKING message'];
      const cancels = ['SUBMITTED cancel', 'WORKING cancel'];
      const parts = (label: string) => label.replace(/ \{.*/, '').replace(/^\w+ /, '').split('+');
      assert.deepEqual(
        missing(
          [...events, ...more, ...cancels],
          (one) => (label) => parts(label).some((part) => part === one || part === `${one} message`),
        ),
        [],
      );
      // With the transaction that they are about; these stand alone.
      const within = ['admitted', 'rejected', 'cancel', 'terminal'];
      const alone = AUDIT_KINDS.filter((one) => !within.includes(one));
      assert.deepEqual(
        missing(alone, (one) => (label) => label === `audit ${one}`),
        [],
      );
    } finally {
      await lab.close();
    }
  }).timeout(60_000);
});
