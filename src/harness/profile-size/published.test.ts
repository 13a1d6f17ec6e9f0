import assert from 'node:assert/strict';
import { mustSentences, readBaseline } from './baseline.js';
import { disagreements, publishedSize, readSchemas, together } from './published.js';
import { grownSince } from './size.js';

describe('the published size of the profile', () => {
  const published = () => publishedSize(readSchemas());

  it('is the one that was decided on', () => {
    const { size } = readBaseline();
    const merged = together(published(), { ...size, card_params: [], nested_members: [] });
    assert.deepEqual(merged.nested_members, size.nested_members);
    assert.deepEqual(merged.card_params, size.card_params);
    assert.deepEqual(disagreements(published(), size), []);
    const must_sentences = mustSentences() ?? 0;
    assert.deepEqual(grownSince(size, { ...size, must_sentences }), []);
  });

  it('moves with a member of a schema, and a schema that is gone is no smaller profile', () => {
    const schemas = readSchemas();
    const { request = {} } = schemas;
    const more = { ...request, properties: { ...request.properties, priority: {} } };
    assert.ok(publishedSize({ ...schemas, request: more }).request_optional.includes('priority'));
    const needs = { ...more, required: [...(request.required ?? []), 'priority'] };
    assert.deepEqual(disagreements(publishedSize({ ...schemas, request: needs }), readBaseline().size), [
      'the published schema requires priority, and it is not needed (request_required)',
    ]);
    const { result: _gone, ...rest } = schemas;
    assert.throws(() => publishedSize(rest), /result\.schema\.json/);
  });

  it('is compared with the wire both ways', () => {
    const { size } = readBaseline();
    const seen = {
      ...size,
      metadata_keys: [...size.metadata_keys, 'EXT/trace'],
      result_required: ['status', 'x'],
    };
    const found = disagreements(published(), seen);
    assert.ok(found.includes('EXT/trace was seen, and no published schema has it'));
    assert.ok(found.some((one) => one.startsWith('x is needed')));
    assert.ok(found.some((one) => one.startsWith('the published schema requires summary')));
  });
});
