/** Every read is answered, every write refused in mid-transaction: triggers that somebody else has put on each table. */
import { outside, refusal, tablesOf } from './outside.js';
import type { StoreFaultKind } from './store-fault.js';

const NAME = 'outside_refuses';
const CHANGES = ['INSERT', 'UPDATE', 'DELETE'];

export const readonly: StoreFaultKind = {
  name: 'readonly',
  description:
    'each table refuses every change in mid-transaction and answers every read (triggers of another connection that RAISE)',
  create: ({ file }) => ({
    async arm() {
      outside(file, (db) => {
        const triggers = tablesOf(db).flatMap((table) =>
          CHANGES.map(
            (change) =>
              `CREATE TRIGGER ${NAME}_${change}_${table} BEFORE ${change} ON "${table}" BEGIN SELECT RAISE(ABORT, 'read only'); END`,
          ),
        );
        db.exec(`BEGIN IMMEDIATE; ${triggers.join('; ')}; COMMIT`);
      });
    },
    verify: async () => refusal(file) === 'SQLITE_CONSTRAINT_TRIGGER',
    async clear() {
      outside(file, (db) => {
        const triggers = db
          .prepare(`SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '${NAME}%'`)
          .pluck()
          .all() as string[];
        db.exec(`BEGIN IMMEDIATE; ${triggers.map((name) => `DROP TRIGGER ${name}`).join('; ')}; COMMIT`);
      });
    },
    gone: async () => refusal(file) === undefined,
  }),
};
