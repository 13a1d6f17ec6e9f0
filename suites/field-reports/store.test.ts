/** Public reports about SQLite: busy in spite of patience, a log that grows for ever behind an idle reader. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from '../../src/harness/checkers/history.js';
import { ended, resultOf, tail, taskOf } from '../../src/harness/run/observe.js';
import { fieldReport } from './field-report.js';

describe('public reports: the store', () => {
  fieldReport(
    'OPEN-50',
    'sixteen writers and an idle reader: no busy error, no hole, and the log shrinks back',
    async (lab) => {
      const executor = await lab.fresh({ limits: { running: 64, output: '1536KiB', frame: '8MiB' } });
      const probe = executor.probe();
      const idle = lab.script(executor, 'idle', ['say x', 'hold never']);
      const idleId = String(taskOf(await probe.create(idle), 'the create').id);
      const reader = probe.subscribe(idleId);
      await reader.until((frames) => frames.length > 0);
      reader.pause();
      const BYTES = 1_000_000;
      let written = 0;
      for (let round = 0; round < 2; round += 1) {
        await Promise.all(
          Array.from({ length: 16 }, async (_, at) => {
            const script = [`chunks ${BYTES / 10_000} of 10000`];
            const request = lab.script(executor, `w${round}-${at}`, script, {
              budget: { max_output_bytes: 1_500_000 },
            });
            const id = String(taskOf(await probe.create(request), 'a create').id);
            const envelope = resultOf(await ended(probe, id, 45_000)) ?? {};
            assert.equal(envelope.status, 'completed', JSON.stringify(envelope.error));
            if (at % 8 === 0) assert.deepEqual(finished(await tail(probe, id, '0', 'all'), envelope), []);
            written += BYTES;
          }),
        );
      }
      const wal = statSync(join(lab.lab.folder, 'executor-1', 'journal.db-wal')).size;
      lab.evidence('wal.json', { wal, written });
      assert.ok(wal < written / 2, `${wal} bytes of log after ${written} bytes of output`);
      await probe.cancel(idleId);
      await ended(probe, idleId);
    },
    90_000,
  );
});
