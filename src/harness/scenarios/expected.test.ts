import assert from 'node:assert/strict';
import type { Json } from '../wire/probe.js';
import { turnOf } from './acts.js';
import { type Expected, expectedOf } from './expected.js';
import { type Ending, SCENARIOS, type Scenario, scriptOf } from './scenario.js';
import { eventsFrom, expectedTranscript, type Family, linesOf } from './transcript.js';

const peers = { executor: 'b', caller: 'a' };
const scenario = (script: string[], ending: Ending): Scenario => ({
  script,
  ending,
  capabilities: ['repo:read'],
});
const of = (script: string[], ending: Ending) => expectedOf(scenario(script, ending), peers);

/** Each event as a word or two. */
const short = (expected: Expected) =>
  eventsFrom(expected, 0).map(({ statusUpdate, artifactUpdate, beside }) => {
    const { result, cancel } = beside as { result?: Json; cancel?: Json };
    const status = (statusUpdate as { status: { state: string; message?: Json } } | undefined)?.status;
    const { artifact, append, lastChunk } = (artifactUpdate ?? {}) as Json & { artifact?: Json };
    return [
      status?.state.replace('TASK_STATE_', ''),
      status?.message?.says,
      status?.message?.text,
      artifact?.artifactId,
      append && 'append',
      lastChunk && 'last',
      cancel && 'cancel',
      result?.status,
    ]
      .filter(Boolean)
      .join(' ');
  });
const resultOf = (expected: Expected) => (expected.taskAt(expected.last).beside as { result: Json }).result;

describe('what a scenario implies', () => {
  it('has an event for everything that an agent shows, and the text in one artifact', () => {
    const expected = of(['say a', 'tool read f'], { by: 'agent', script: ['image', 'plan p; q', 'say b'] });
    assert.deepEqual(short(expected), [
      'SUBMITTED',
      'WORKING',
      '<artifact 1>',
      'WORKING f,pending',
      'WORKING f,in_progress',
      'WORKING f,completed',
      '<artifact 2> last',
      'WORKING pending,p,q',
      '<artifact 1> append',
      '<artifact 1> append last',
      'COMPLETED b <mark> completed',
    ]);
    assert.equal(expected.held, 6);
    assert.deepEqual((expected.taskAt(9) as { artifacts: unknown }).artifacts, [
      { artifactId: '<artifact 1>', owner: 'b', parts: [{ text: 'a <mark>' }, { text: 'b <mark>' }] },
      { artifactId: '<artifact 2>', owner: 'b', parts: [{ raw: 'iVBORw0KGgo=', mediaType: 'image/png' }] },
    ]);
  });

  it('denies what was not granted, and lists it', () => {
    const expected = of([], { by: 'agent', script: ['ask read f', 'ask edit g'] });
    assert.deepEqual(short(expected).slice(2), [
      'WORKING f,pending',
      'WORKING f,completed',
      'WORKING pending,g',
      'WORKING g,denied',
      'COMPLETED completed',
    ]);
    assert.deepEqual(resultOf(expected).side_effects, [
      { kind: 'edit', tool_call_id: 'call-2', evidence: 'denied' },
    ]);
  });

  it('records a cancel as an event, and beside every later Task', () => {
    const expected = of(['say a'], { by: 'cancel' });
    assert.deepEqual(short(expected).slice(2), [
      '<artifact 1>',
      'WORKING cancel',
      '<artifact 1> append last',
      'CANCELED a <mark> cancelled',
    ]);
    const cancels = [3, 4, 5, 6].map((at) => 'cancel' in (expected.taskAt(at).beside as Json));
    assert.deepEqual(cancels, [false, true, true, true]);
    assert.equal(resultOf(expected).cancel_requested_at, '<time>');
  });

  it('knows the outcome that belongs to each end', () => {
    const ends = Object.entries(SCENARIOS).map(([name, one]) => {
      const expected = expectedOf(one, peers);
      const { status, error } = resultOf(expected);
      const { state } = expected.taskAt(expected.last).status as { state: string };
      return [name, status, (error as Json | null)?.code, state.replace('TASK_STATE_', '')];
    });
    assert.deepEqual(ends, [
      ['completed', 'completed', undefined, 'COMPLETED'],
      ['chunked', 'completed', undefined, 'COMPLETED'],
      ['denied', 'completed', undefined, 'COMPLETED'],
      ['cancelled', 'cancelled', undefined, 'CANCELED'],
      ['failed', 'failed', 'REFUSED', 'FAILED'],
      ['expired', 'expired', 'DEADLINE_EXCEEDED', 'FAILED'],
      ['rejected', 'rejected', 'AUTHORITY_EMPTY', 'REJECTED'],
    ]);
  });

  it('prompts nobody for what is refused', () => {
    const expected = expectedOf(SCENARIOS.rejected as Scenario, peers);
    assert.deepEqual(short(expected), ['SUBMITTED', 'REJECTED rejected']);
    assert.equal(expected.held, 0);
    assert.deepEqual(resultOf(expected).effective_capabilities, []);
  });

  it('has no rule for what it does not know', () => {
    assert.throws(() => turnOf(['hang']), /no rule for hang/);
    assert.throws(() => turnOf(['tool execute rm']), /no rule for tool execute rm/);
    assert.throws(
      () => of([], { by: 'agent', script: ['stop something_new'] }),
      /no rule for the stop reason/,
    );
  });

  it('ends a script where a reader can come', () => {
    assert.deepEqual(scriptOf(scenario(['say a'], { by: 'agent', script: ['say b'] })), [
      'say a',
      'hold here',
      'say b',
    ]);
  });
});

describe('an expected transcript', () => {
  const one = scenario(['say a'], { by: 'cancel' });
  const expected = expectedOf(one, peers);
  const at = { created: 1, cancelled: 4 };
  const whats = (family: Family) => expectedTranscript(one, expected, family, at).map(({ what }) => what);

  it('asks only what the binding has a verb for', () => {
    const [a2a, oab] = [whats('A2A'), whats('OAB')];
    assert.deepEqual(
      a2a.filter((what) => !oab.includes(what)),
      ['the same create again, blocking', 'the list'],
    );
    assert.deepEqual(
      oab.filter((what) => !a2a.includes(what)),
      ['its events as a stream'],
    );
    assert.ok(oab.includes('the cancel'));
  });

  it('shows each reader the Task that it came to, and what is behind it', () => {
    const lines = expectedTranscript(one, expected, 'OAB', at);
    const { said } = lines.find(({ what }) => what === 'a subscribe') as { said: unknown };
    assert.deepEqual(said, {
      items: [{ task: expected.taskAt(3) }, ...[4, 5, 6].map((n) => expected.event(n))],
      end: 'fin',
      strange: [],
    });
    assert.match(linesOf(lines).lines[0] ?? '', /^the create: \{"artifacts":\[\],"beside":/);
  });
});
