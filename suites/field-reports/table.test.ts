/** The table of docs/field-reports.md says the truth: each test that it names is there, and each test is in it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

const rows = readFileSync('docs/field-reports.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| OPEN-'))
  .map((line) => {
    const [, id = '', , , where = ''] = line.split('|').map((cell) => cell.trim());
    return { id, line, files: [...where.matchAll(/`([^`]+\.ts)`/g)].map(([, file = '']) => file) };
  });

describe('the table of public reports', () => {
  it('is in order, with a link and a test in each row', () => {
    const ids = rows.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)].sort());
    for (const { id, line, files } of rows) {
      assert.match(line, /\]\(https:\/\//, id);
      assert.ok(files.length > 0, id);
    }
  });

  for (const { id, files } of rows) {
    it(`${id} is spoken of in every file that its row names`, () => {
      for (const file of files) assert.match(readFileSync(file, 'utf8'), new RegExp(id), file);
    });
  }

  it('has every report that a test here names', () => {
    const named = readdirSync('suites/field-reports')
      .filter((file) => file.endsWith('.test.ts') && file !== 'table.test.ts')
      .flatMap((file) => readFileSync(`suites/field-reports/${file}`, 'utf8').match(/OPEN-\d\d/g) ?? []);
    const known = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      [...new Set(named)].filter((id) => !known.has(id)),
      [],
    );
  });
});
