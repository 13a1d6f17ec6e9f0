/** Neither reads nor writes are answered: somebody else has taken the tables away, and brings them back as they were. */
import { outside, refusal, tablesOf } from './outside.js';
import type { StoreFaultKind } from './store-fault.js';

const AWAY = 'taken_away_';

export const lost: StoreFaultKind = {
  name: 'lost',
  description:
    'the database answers neither reads nor writes (another connection has renamed its tables, and renames them back)',
  create: ({ file }) => ({
    async arm() {
      rename(
        file,
        (name) => !name.startsWith(AWAY),
        (name) => AWAY + name,
      );
    },
    verify: async () => refusal(file) === 'SQLITE_ERROR',
    async clear() {
      rename(
        file,
        (name) => name.startsWith(AWAY),
        (name) => name.slice(AWAY.length),
      );
    },
    gone: async () => refusal(file) === undefined,
  }),
};

function rename(file: string, which: (name: string) => boolean, to: (name: string) => string): void {
  outside(file, (db) => {
    const renamed = tablesOf(db)
      .filter(which)
      .map((name) => `ALTER TABLE "${name}" RENAME TO "${to(name)}"`);
    db.exec(`BEGIN IMMEDIATE; ${renamed.join('; ')}; COMMIT`);
  });
}
