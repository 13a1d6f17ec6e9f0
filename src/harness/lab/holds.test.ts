import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeadlinePassed } from './deadline.js';
import { openHolds } from './holds.js';
import type { Holds } from './ports.js';

describe('hold points', () => {
  let folder: string;
  let holds: Holds;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oab-holds-'));
    holds = openHolds(folder);
  });
  afterEach(() => {
    holds.close();
    rmSync(folder, { recursive: true });
  });
  const write = (entry: object | string) =>
    appendFileSync(
      join(folder, 'ledger.ndjson'),
      typeof entry === 'string' ? entry : `${JSON.stringify(entry)}\n`,
    );

  it('are seen when the agent waits, before or after we look, and released by name', async () => {
    const at = join(folder, 'holds', 'RPL-03.x');
    const late = holds.waiting('RPL-03.x', 'h1', 5000);
    writeFileSync(join(at, 'h1.waiting'), '');
    await late;
    await holds.waiting('RPL-03.x', 'h1', 5000);
    await assert.rejects(holds.waiting('RPL-03.x', 'h2', 20), DeadlinePassed);
    await holds.release('RPL-03.x', 'h1');
    assert.ok(existsSync(join(at, 'h1.go')));
    await holds.release('never-seen', 'h');
    assert.ok(existsSync(join(folder, 'holds', 'never-seen', 'h.go')));
  });

  it('read whole ledger lines only, by case, and wake when enough is there', async () => {
    assert.deepEqual(await holds.ledger(), []);
    write({ case: '', kind: 'start' });
    write({ case: 'a', kind: 'prompt' });
    write('{"case":"a","kind":"eff');
    assert.deepEqual(
      (await holds.ledger()).map(({ kind }) => kind),
      ['start', 'prompt'],
    );
    const two = holds.awaitLedger('a', (entries) => entries.length === 2, 5000);
    write('ect"}\n');
    assert.deepEqual(
      (await two).map(({ kind }) => kind),
      ['prompt', 'effect'],
    );
    await assert.rejects(
      holds.awaitLedger('b', (entries) => entries.length > 0, 20),
      DeadlinePassed,
    );
  });
});
