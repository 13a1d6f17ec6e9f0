import assert from 'node:assert/strict';
import { schemaMembers } from './schema-members.js';

describe('the members of a schema', () => {
  it('are found through references, alternatives and lists, and a schema that names itself ends', () => {
    const found = schemaMembers({
      properties: {
        a: {},
        b: { anyOf: [{ properties: { x: {} } }, {}] },
        c: { items: { $ref: '#/$defs/one' } },
      },
      required: ['a'],
      allOf: [{ properties: { d: { $ref: '#/$defs/one' } }, required: ['d'] }],
      $defs: { one: { properties: { y: {}, more: { $ref: '#/$defs/one' } }, required: ['y'] } },
    });
    assert.deepEqual(found.required, ['a', 'd']);
    assert.deepEqual(found.optional, ['b', 'c']);
    for (const path of ['b.x', 'c[].y', 'd.y', 'd.more.y']) assert.ok(found.nested.includes(path), path);
    assert.ok(!found.nested.includes('a'));
    assert.throws(() => schemaMembers({ $ref: '#/$defs/none' }), /#\/\$defs\/none/);
  });
});
