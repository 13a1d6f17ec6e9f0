/** The audit of an executor, read beside it; its chain recomputed. */
import Database from 'better-sqlite3';
import { brokenAt } from '../journal/audit-chain.js';
import type { AuditRow } from '../journal/journal.js';
import { Reader } from '../journal/reader.js';
import { ConfigError } from './config/config-error.js';
import { readExecutorFile } from './config/executor-file.js';

const PAGE = 10_000;

export function readAudit(file: string): { rows: AuditRow[]; brokenAt: number | undefined } {
  const { journal } = readExecutorFile(file);
  let db: Database.Database;
  try {
    db = new Database(journal.file, { readonly: true, fileMustExist: true });
  } catch {
    throw new ConfigError([`${journal.file}: there is no journal yet; start the executor first`]);
  }
  try {
    const reader = new Reader(db);
    const rows: AuditRow[] = [];
    for (let page = reader.audits(0, PAGE); page.length > 0; page = reader.audits(rows.length, PAGE))
      rows.push(...page);
    return { rows, brokenAt: brokenAt(rows) };
  } finally {
    db.close();
  }
}
