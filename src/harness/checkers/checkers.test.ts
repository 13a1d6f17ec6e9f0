import assert from 'node:assert/strict';
import { firstHead, headAfter } from '../../profile/chain.js';
import type { Digest } from '../../profile/model.js';
import type { Seen } from '../run/observe.js';
import type { Json } from '../wire/probe.js';
import { chain, finished, gapless, identical, lifecycle, oneTerminal, ordered } from './history.js';
import { exactly } from './ledger.js';

const DIGEST: Digest = `sha256:${'a'.repeat(64)}`;
const status = (sequence: number, state: string): Seen => ({
  session: 's',
  sequence,
  cursor: `c${sequence}`,
  event: {
    statusUpdate: {
      taskId: 't',
      contextId: 'c',
      status: { state: `TASK_STATE_${state}`, timestamp: '2026-12-01T00:00:00.000Z' },
    },
  },
});
const artifact = (sequence: number): Seen => ({
  session: 's',
  sequence,
  cursor: `c${sequence}`,
  event: {
    artifactUpdate: {
      taskId: 't',
      contextId: 'c',
      artifact: { artifactId: 'a', parts: [{ text: String(sequence) }] },
    },
  },
});
const honest = [
  status(1, 'SUBMITTED'),
  status(2, 'WORKING'),
  artifact(3),
  artifact(4),
  status(5, 'COMPLETED'),
];
const envelopeOf = (seen: readonly Seen[]): Json => ({
  task_id: 't',
  request_digest: DIGEST,
  event_log: {
    last_sequence: seen.length,
    head: seen.reduce<Digest>((head, { event }) => headAfter(head, event), firstHead('t', DIGEST)),
  },
});
const envelope = envelopeOf(honest);

describe('the history checkers', () => {
  it('find nothing in an honest history, whole or seen twice', () => {
    assert.deepEqual(finished(honest, envelope), []);
    assert.deepEqual(
      finished([...honest, ...honest.map((one) => ({ ...one, session: 'other' }))], envelope),
      [],
    );
    assert.deepEqual(ordered(honest), []);
  });

  for (const [name, check, seen] of [
    ['a hole', (all: Seen[]) => gapless(all, 5), honest.filter(({ sequence }) => sequence !== 3)],
    ['an event beyond the end', (all: Seen[]) => gapless(all, 5), [...honest, artifact(6)]],
    ['a missing end', (all: Seen[]) => gapless(all, 5), honest.slice(0, 4)],
    ['a repetition in one session', ordered, [honest[0], honest[1], honest[1]] as Seen[]],
    ['a swap in one session', ordered, [honest[0], honest[2], honest[1]] as Seen[]],
    [
      'one sequence with two bodies',
      identical,
      [...honest, { ...artifact(3), session: 'x', event: artifact(9).event }],
    ],
    [
      'one sequence with two cursors',
      identical,
      [...honest, { ...artifact(3), session: 'x', cursor: 'other' }],
    ],
    ['two terminal events', oneTerminal, [...honest, status(6, 'FAILED')]],
    ['no terminal event', oneTerminal, honest.slice(0, 4)],
    ['something after the terminal event', oneTerminal, [...honest, artifact(6)]],
    ['a beginning that is not SUBMITTED', lifecycle, [status(1, 'WORKING'), ...honest.slice(1)]],
    ['a step back', lifecycle, [honest[0], honest[1], status(3, 'SUBMITTED')] as Seen[]],
    ['REJECTED after WORKING', lifecycle, [honest[0], honest[1], status(3, 'REJECTED')] as Seen[]],
    ['an artifact after the terminal event', lifecycle, [...honest, artifact(6)]],
    [
      'a dropped event in the chain',
      (all: Seen[]) => chain(all, envelope),
      honest.filter(({ sequence }) => sequence !== 4),
    ],
    [
      'an altered event in the chain',
      (all: Seen[]) => chain(all, envelope),
      honest.map((one) => (one.sequence === 3 ? { ...one, event: artifact(9).event } : one)),
    ],
  ] as [string, (seen: Seen[]) => string[], Seen[]][]) {
    it(`find ${name}`, () => assert.notDeepEqual(check(seen), []));
  }
});

describe('the ledger checker', () => {
  const entry = (kind: string, more: object = {}) => ({ case: 'c', kind, ...more });
  it('counts starts, prompts and effects', () => {
    assert.deepEqual(
      exactly([entry('start'), entry('prompt'), entry('effect', { name: 'e' })], { prompts: 1, starts: 1 }),
      [],
    );
    assert.equal(
      exactly([entry('start'), entry('start'), entry('prompt')], { prompts: 1, starts: 1 }).length,
      1,
    );
    assert.equal(exactly([entry('prompt'), entry('prompt')], { prompts: 1 }).length, 1);
    assert.equal(
      exactly([entry('effect', { name: 'e' }), entry('effect', { name: 'e' })], { prompts: 0 }).length,
      1,
    );
  });
});
