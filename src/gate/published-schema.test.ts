import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { VERDICT_SCHEMA, verdictSchema } from './verdict.js';

const FILE = 'docs/schemas/verdict.schema.json';

describe('the published verdict schema', () => {
  it('is the one that the code uses (OAB_WRITE_SCHEMAS=1 rewrites it)', () => {
    const schema = { $id: VERDICT_SCHEMA, ...z.toJSONSchema(verdictSchema) };
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    if (process.env.OAB_WRITE_SCHEMAS === '1') writeFileSync(FILE, text);
    assert.equal(readFileSync(FILE, 'utf8'), text);
  });
});
