/** A process with a journal that writes and reads for ever, and prints what becomes of each round: `took`, or `refused`. */
import { StoreUnavailable } from '../../../../journal/journal.js';
import { openSqliteJournal } from '../../../../journal/sqlite.js';

const journal = await openSqliteJournal({ file: process.argv[2] ?? '' });
for (let round = 1; ; round += 1) {
  const read = () => journal.audits(0, 1).length;
  const written = journal.audit({ kind: 'refused', at: round, detail: {} });
  const answers = await Promise.allSettled([written, (async () => read())()]);
  const words = answers.map((answer) => {
    if (answer.status === 'fulfilled') return 'took';
    return answer.reason instanceof StoreUnavailable ? 'refused' : String(answer.reason);
  });
  process.stdout.write(`${words.join(' ')}\n`);
  await new Promise((resolve) => setTimeout(resolve, 10));
}
