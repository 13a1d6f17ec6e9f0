import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Summary } from './summary.js';
import { ToolCalls } from './tool-calls.js';
import { translateUpdate } from './translate-update.js';

const call = (fields: Record<string, unknown>) => ({
  sessionUpdate: 'tool_call',
  toolCallId: 'c',
  ...fields,
});
const translate = (update: Record<string, unknown>) => translateUpdate(update, new ToolCalls());
const chunk = (content: unknown) => ({ sessionUpdate: 'agent_message_chunk', content });

describe('what becomes of an update', () => {
  it('is nothing for thoughts, usage, modes, commands and what nobody knows', () => {
    for (const sessionUpdate of [
      'agent_thought_chunk',
      'usage_update',
      'current_mode_update',
      'available_commands_update',
      'user_message_chunk',
      'of_tomorrow',
      undefined,
    ])
      assert.equal(translate({ sessionUpdate, content: { type: 'text', text: 'x' } }), undefined);
  });

  it('is a status once for each new status, with neither input nor output', () => {
    const calls = new ToolCalls();
    const update = call({
      kind: 'read',
      title: 'Read\u0007 it\n',
      rawInput: 'SECRET',
      content: [{ text: 'SECRET' }],
    });
    assert.deepEqual(translateUpdate(update, calls), { type: 'status', text: 'pending: Read  it' });
    assert.equal(translateUpdate(update, calls), undefined);
    const done = { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', rawOutput: 'S' };
    assert.deepEqual(translateUpdate(done, calls), { type: 'status', text: 'completed: Read  it' });
  });

  it('can always be hashed and sent: no lone surrogate, no unbounded label', () => {
    const lone = '\ud800';
    for (const update of [
      call({ title: `a${lone}b` }),
      call({ status: lone }),
      { sessionUpdate: 'plan', entries: [{ content: lone, status: lone }] },
      chunk({ type: 'text', text: lone }),
      chunk({ type: 'image', data: 'AAAA', mimeType: `image/${lone}${'x'.repeat(100_000)}` }),
      chunk({ type: 'resource_link', uri: lone, name: lone, mimeType: 'text/plain' }),
    ]) {
      const json = JSON.stringify(translate(update));
      // JSON.stringify writes a lone surrogate as an escape.
      assert.doesNotMatch(json, /\\ud[89a-f]/i);
      assert.ok(json.length < 2048);
    }
  });

  it('survives updates of any shape', () => {
    const kinds = ['agent_message_chunk', 'tool_call', 'tool_call_update', 'plan'];
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.dictionary(fc.constantFrom('content', 'entries', 'status', 'title', 'toolCallId'), fc.json()),
        (sessionUpdate, fields) => {
          const parsed = Object.entries(fields).map(([name, json]) => [name, JSON.parse(json) as unknown]);
          translate({ ...Object.fromEntries(parsed), sessionUpdate });
        },
      ),
    );
  });
});

describe('the record of tool calls', () => {
  it('keeps a call open that goes on after it was denied', () => {
    const calls = new ToolCalls();
    calls.denied('c', 'edit', 'file');
    assert.equal(calls.open, false);
    assert.equal(calls.sideEffects()[0]?.evidence, 'denied');
    calls.update({ toolCallId: 'c', status: 'in_progress' });
    assert.equal(calls.open, true);
    assert.equal(calls.sideEffects()[0]?.evidence, 'unverified');
    calls.update({ toolCallId: 'c', status: 'completed' });
    assert.deepEqual(calls.violations(['repo:read']), ['edit']);
    assert.equal(calls.sideEffects()[0]?.evidence, 'observed');
  });

  it('takes a call without a kind, or of an unknown one, for one that may have an effect', () => {
    const calls = new ToolCalls();
    calls.update({ toolCallId: 'a' });
    assert.equal(calls.open, true);
    calls.update({ toolCallId: 'a', kind: 'of_tomorrow', status: 'completed' });
    assert.deepEqual(calls.violations(['repo:read']), ['other']);
  });
});

describe('the summary', () => {
  it('is cut at a code point, within 2,048 bytes', () => {
    const summary = new Summary();
    summary.text(`a${'\u{1F600}'.repeat(2000)}`);
    assert.equal(summary.value, `a${'\u{1F600}'.repeat(511)}`);
  });

  it('is all of the text when nothing followed the last tool call', () => {
    const summary = new Summary();
    summary.text('before');
    summary.toolCall();
    summary.text(' \n');
    assert.equal(summary.value, 'before');
  });
});
