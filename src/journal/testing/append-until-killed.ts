/** A process that appends to one task for ever and prints the sequence of each acknowledged event. */
import { openSqliteJournal } from '../sqlite.js';
import { admission, status } from './drafts.js';

const journal = await openSqliteJournal({ file: process.argv[2] ?? '' });
await journal.admit(admission('t', {}));
for (;;) {
  const { task } = await journal.append('t', { events: [status('t', 'x')] });
  process.stdout.write(`${task.sequence}\n`);
}
