import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { publishedSchema, wireSchemas } from './wire-schemas.js';

const FOLDER = 'docs/schemas/wire';
const names = Object.keys(wireSchemas) as (keyof typeof wireSchemas)[];

describe('the published schemas of the wire', () => {
  for (const name of names) {
    it(`${name} is the one that the code has (OAB_WRITE_SCHEMAS=1 rewrites it)`, () => {
      const path = `${FOLDER}/${name}.schema.json`;
      const text = `${JSON.stringify(publishedSchema(name), null, 2)}\n`;
      if (process.env.OAB_WRITE_SCHEMAS === '1') writeFileSync(path, text);
      assert.equal(readFileSync(path, 'utf8'), text);
    });
  }

  it('are all, and no other', () => {
    assert.deepEqual(readdirSync(FOLDER).sort(), names.map((name) => `${name}.schema.json`).sort());
  });

  it('take what an executor writes, and refuse what none does', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const position = { turn_id: 'turn-1', sequence: 1, cursor: 'c1.tag' };
    const good: [keyof typeof wireSchemas, unknown][] = [
      [
        'event',
        { ...position, deadline_at: '2026-12-01T00:00:00.000Z', effective_capabilities: ['repo:read'] },
      ],
      ['events', { events: [], next: '', complete: false, floor: { sequence: 3, head: digest } }],
      ['cancel', { requested_at: '2026-12-01T00:00:00.000Z' }],
      ['owner', 'oab-b'],
      ['token-claims', { iss: 'a', sub: 'a', aud: 'b', iat: 1, exp: 2, jti: 'j', cap: [], req: digest }],
    ];
    for (const [name, value] of good) assert.ok(wireSchemas[name].safeParse(value).success, name);
    const bad: [keyof typeof wireSchemas, unknown][] = [
      ['event', { ...position, cursor: 'a,b' }],
      ['event', { ...position, sequence: 0 }],
      ['event', { ...position, more: 1 }],
      ['events', { events: [{ ...position, event: { task: {} } }], next: '', complete: true }],
      ['cancel', { requested_at: '2026-12-01T00:00:00Z' }],
      ['owner', 'OAB-B'],
      ['token-header', { alg: 'none', typ: 'oab-agent+jwt', kid: 'k' }],
      ['token-header', { alg: 'EdDSA', typ: 'oab-agent+jwt', kid: 'k', jku: 'https://x.invalid' }],
    ];
    for (const [name, value] of bad)
      assert.ok(!wireSchemas[name].safeParse(value).success, JSON.stringify(value));
  });
});
