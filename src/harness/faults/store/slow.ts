/** Somebody else holds the write lock, lets go for a moment, and holds it again: each write waits its turn. */
import Database from 'better-sqlite3';
import { until } from '../../lab/deadline.js';
import { refusal } from './outside.js';
import type { StoreFaultKind } from './store-fault.js';

const HELD_MS = 400;
/** Longer than SQLite sleeps between two looks at a lock: whoever waits gets it. */
const FREE_MS = 150;
const SEEN_MS = 5 * (HELD_MS + FREE_MS);

export const slow: StoreFaultKind = {
  name: 'slow',
  description: `another process holds the database’s write lock ${HELD_MS} ms of every ${HELD_MS + FREE_MS}, so that each write waits`,
  create({ file }) {
    let db: Database.Database | undefined;
    let timer: NodeJS.Timeout | undefined;
    const hold = () => {
      try {
        db?.exec('BEGIN IMMEDIATE');
        timer = setTimeout(release, HELD_MS);
      } catch {
        // Whoever had it for that long is asked again; whether the store is slow is what verify() sees.
        timer = setTimeout(hold, FREE_MS);
      }
    };
    const release = () => {
      db?.exec('ROLLBACK');
      timer = setTimeout(hold, FREE_MS);
    };
    const sees = (code: string | undefined) =>
      until(() => refusal(file, 0) === code, { ms: SEEN_MS, everyMs: 5, what: 'the lock' }).then(
        () => true,
        () => false,
      );
    return {
      async arm() {
        db = new Database(file, { fileMustExist: true, timeout: 1000 });
        hold();
      },
      verify: async () => (await sees('SQLITE_BUSY')) && db !== undefined,
      async clear() {
        clearTimeout(timer);
        // A transaction that is open ends with its connection.
        db?.close();
        db = undefined;
      },
      gone: () => sees(undefined),
    };
  },
};
