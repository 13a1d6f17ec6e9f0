/** The scripted agent's probe folder from our side: what it wrote down, and the points where it waits (docs/agent.md). */
import { existsSync, type FSWatcher, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './deadline.js';
import type { Holds, LedgerEntry } from './ports.js';

const DEADLINE = 15_000;

export function openHolds(folder: string): Holds {
  mkdirSync(join(folder, 'holds'), { recursive: true });
  const watchers = new Set<FSWatcher>();
  const ledgerFile = join(folder, 'ledger.ndjson');

  const ledger = (caseId?: string): LedgerEntry[] => {
    if (!existsSync(ledgerFile)) return [];
    // A line that is being written has no end yet.
    const lines = readFileSync(ledgerFile, 'utf8').split('\n').slice(0, -1);
    const entries = lines.map((line) => JSON.parse(line) as LedgerEntry);
    return caseId === undefined ? entries : entries.filter((entry) => entry.case === caseId);
  };
  /** Looks whenever something in the folder changes. */
  const watching = async <T>(
    path: string,
    look: () => T | undefined | false,
    deadlineMs: number,
    what: string,
  ): Promise<T> => {
    mkdirSync(path, { recursive: true });
    let wake = () => {};
    const watcher = watch(path, () => wake());
    watchers.add(watcher);
    try {
      return await until(look, {
        ms: deadlineMs,
        what,
        wake: (again) => {
          wake = again;
          return () => {
            wake = () => {};
          };
        },
      });
    } finally {
      watchers.delete(watcher);
      watcher.close();
    }
  };

  return {
    folder,
    async waiting(caseId, name, deadlineMs = DEADLINE) {
      const at = join(folder, 'holds', caseId);
      await watching(
        at,
        () => existsSync(join(at, `${name}.waiting`)),
        deadlineMs,
        `the agent to wait at ${caseId} ${name}`,
      );
    },
    async release(caseId, name) {
      const at = join(folder, 'holds', caseId);
      mkdirSync(at, { recursive: true });
      writeFileSync(join(at, `${name}.go`), '');
    },
    ledger: async (caseId) => ledger(caseId),
    awaitLedger(caseId, enough, deadlineMs = DEADLINE) {
      const look = () => {
        const entries = ledger(caseId);
        return enough(entries) && entries;
      };
      return watching(folder, look, deadlineMs, `the ledger of ${caseId}`);
    },
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}
