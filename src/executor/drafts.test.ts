import assert from 'node:assert/strict';
import fc from 'fast-check';
import { jcs } from '../profile/canonical.js';
import { artifactDraft, statusDraft } from './drafts.js';

const names = { taskId: 'task-1', contextId: 'context-1' };
/** Also with lone surrogates, control characters and what looks like an escape. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('\\ud800', '\\\\ud83d', '\ud800', 'a\udfff', '"\\u0000\u2028'),
);

/** The body, or that it cannot be canonical. */
function bodyOf(make: () => { body: string }): string {
  try {
    return make().body;
  } catch {
    return 'refused';
  }
}

function canonical(value: unknown): string {
  return bodyOf(() => ({ body: jcs(value) }));
}

describe('the drafts of events', () => {
  it('are JCS, whatever a status says', () => {
    fc.assert(
      fc.property(anyText, anyText, (id, text) => {
        const body = bodyOf(() => statusDraft(names, 'TASK_STATE_WORKING', 0, { id, text }));
        const message = { role: 'ROLE_AGENT', parts: [{ text }], messageId: id };
        const status = { timestamp: '1970-01-01T00:00:00.000Z', state: 'TASK_STATE_WORKING', message };
        assert.equal(body, canonical({ statusUpdate: { ...names, status } }));
      }),
    );
    assert.equal(
      statusDraft(names, 'TASK_STATE_SUBMITTED', 0).body,
      jcs({
        statusUpdate: {
          ...names,
          status: { timestamp: '1970-01-01T00:00:00.000Z', state: 'TASK_STATE_SUBMITTED' },
        },
      }),
    );
  });

  it('are JCS, whatever parts an artifact has', () => {
    const part = fc.oneof(
      anyText.map((text) => ({ text })),
      fc.record({ text: anyText, mediaType: fc.constant('text/plain') }),
      fc.jsonValue().map((data) => ({ filename: 'f', data })),
    );
    const named = fc.option(anyText, { nil: undefined });
    fc.assert(
      fc.property(fc.array(part), named, fc.boolean(), fc.boolean(), (parts, name, append, lastChunk) => {
        const artifact = {
          artifactId: 'answer',
          parts: parts as { text?: string }[],
          ...(name === undefined ? {} : { name }),
        };
        assert.equal(
          bodyOf(() => artifactDraft(names, 'TASK_STATE_WORKING', artifact, { append, lastChunk })),
          canonical({
            artifactUpdate: {
              ...names,
              ...(lastChunk ? { lastChunk } : {}),
              ...(append ? { append } : {}),
              artifact,
            },
          }),
        );
      }),
    );
  });
});
