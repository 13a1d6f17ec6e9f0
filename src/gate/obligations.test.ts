import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { obligations, unproven } from './obligations.js';

describe('obligations', () => {
  it('are each proven by a criterion or by a test that exists', () => {
    assert.deepEqual(unproven(), []);
    const files = obligations.flatMap(({ proof }) => proof?.match(/src\/\S+\.test\.ts/) ?? []);
    assert.ok(files.length > 0);
    for (const file of files) assert.ok(existsSync(file), file);
  });
});
