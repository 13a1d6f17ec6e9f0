import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { artifactDigest } from '../../profile/artifacts.js';
import { digestOf } from '../../profile/canonical.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import type { Digest } from '../../profile/model.js';
import { KEY } from '../../profile/names.js';
import type { Json } from '../wire/probe.js';
import { wireDigest, wireRequest } from '../wire/request.js';
import { expectedOf } from './expected.js';
import { namesOf } from './names.js';
import { Plain } from './plain.js';
import type { Scenario } from './scenario.js';

const SCENARIO: Scenario = {
  script: ['say a'],
  ending: { by: 'agent', script: ['ask edit g'] },
  capabilities: ['repo:read'],
};
const SAYS = ['pending edit: g', 'the call g was denied'];

/** One run of the scenario as an executor may tell it: everything new, worded its own way, with members that mean nothing. */
function run() {
  const at = (ms: number) => new Date(1_800_000_000_000 + ms + Math.random() * 1e9).toISOString();
  const mark = `oab-mark-${randomUUID()}`;
  const request = wireRequest('b', `case: x\nmark ${mark}\nsay a`);
  const names = { taskId: randomUUID(), contextId: randomUUID() };
  const status = (state: string, text?: string) => ({
    statusUpdate: {
      ...names,
      status: {
        state: `TASK_STATE_${state}`,
        timestamp: at(0),
        ...(text === undefined
          ? {}
          : { message: { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text, mediaType: '' }] } }),
      },
    },
  });
  const artifactId = randomUUID();
  const chunk = (text: string, more: Json) => ({
    artifactUpdate: { ...names, artifact: { artifactId, name: 'text', parts: [{ text }] }, ...more },
  });
  const bodies: Record<string, Json>[] = [
    status('SUBMITTED'),
    status('WORKING'),
    chunk(`a ${mark}`, { append: false }),
    ...SAYS.map((text) => status('WORKING', text)),
    chunk('', { append: true, lastChunk: true }),
    status('COMPLETED', `a ${mark}`),
  ];
  const digest = wireDigest(request) as Digest;
  let head = firstHead(names.taskId, digest);
  const turn_id = randomUUID();
  const accepted = { effective_capabilities: ['repo:read'], deadline_at: at(60_000) };
  const log = bodies.map((body, index) => {
    head = headAfter(head, body);
    const [kind, update] = Object.entries(body)[0] as [string, Json];
    const place = { turn_id, sequence: index + 1, cursor: randomUUID(), ...(index === 0 ? accepted : {}) };
    const artifact = update.artifact as Json | undefined;
    const owned = artifact && { artifact: { ...artifact, metadata: { [KEY.owner]: 'b' } } };
    const event: Json = { [kind]: { ...update, ...owned, metadata: { [KEY.event]: place } } };
    return { session: 's', sequence: place.sequence, cursor: place.cursor, event };
  });
  const signed = {
    ...{ protocol_version: 1, request_id: request.request_id, task_id: names.taskId, turn_id },
    ...{ status: 'completed', summary: `a ${mark}`, error: null, executed_by: 'b', caller: 'a' },
    effective_capabilities: ['repo:read'],
    request_digest: digest,
    artifacts: [
      {
        artifact_id: artifactId,
        owner: 'b',
        digest: artifactDigest({
          artifactId,
          name: 'text',
          parts: [{ text: `a ${mark}` }, { text: '' }],
        }),
      },
    ],
    side_effects: [
      { kind: 'edit', tool_call_id: 'call-1', target: 'g', evidence: 'denied' },
      { kind: 'boundary', evidence: 'unverified' },
    ],
    event_log: { last_sequence: bodies.length, head },
    signed_at: at(1),
  };
  const envelope = {
    ...signed,
    result_digest: digestOf(signed),
    attestation: { algorithm: 'ed25519', key_id: 'k', protected: 'p', signature: randomUUID() },
  };
  const last = log.at(-1) as (typeof log)[number];
  const metadata = (last.event.statusUpdate as { metadata: Json }).metadata;
  metadata[KEY.result] = envelope;
  const task: Json = {
    id: names.taskId,
    contextId: names.contextId,
    status: bodies.at(-1)?.statusUpdate?.status,
    history: [],
    artifacts: [
      {
        artifactId,
        name: 'text',
        parts: [{ text: `a ${mark}` }, { text: '' }],
        metadata: { [KEY.owner]: 'b' },
      },
    ],
    metadata: {
      [KEY.event]: { ...(metadata[KEY.event] as Json), head, ...accepted },
      [KEY.result]: envelope,
    },
  };
  return { request, log, task, envelope, last };
}

const expected = expectedOf(SCENARIO, { executor: 'b', caller: 'a' });
const plainOf = ({ request, task, log }: ReturnType<typeof run>) =>
  new Plain(namesOf(request, task, log), expected.words);

describe('the plain form', () => {
  it('of any run of a scenario is what the scenario implies', () => {
    for (const one of [run(), run()]) {
      const plain = plainOf(one);
      assert.deepEqual(
        one.log.map(({ event }) => plain.event(event)),
        one.log.map(({ sequence }) => expected.event(sequence)),
      );
      assert.deepEqual(plain.item({ task: one.task }), { task: expected.taskAt(expected.last) });
      assert.deepEqual(
        plain.list({ status: 200, echoed: true, text: '', result: { tasks: [one.task] } }).tasks,
        [expected.taskAt(expected.last)],
      );
    }
  });

  const shows = (bend: (one: ReturnType<typeof run>) => void): string => {
    const one = run();
    // What is learned is learned of an honest run; then one answer says something else.
    const plain = plainOf(one);
    bend(one);
    assert.notDeepEqual(plain.task(one.task), expected.taskAt(expected.last));
    return JSON.stringify(plain.task(one.task));
  };

  it('shows what is not as it should be', () => {
    const bent: Record<string, (one: ReturnType<typeof run>) => void> = {
      'another id': ({ task }) => Object.assign(task, { id: randomUUID() }),
      'another state': ({ task }) => Object.assign(task.status as Json, { state: 'TASK_STATE_FAILED' }),
      'no artifacts': ({ task }) => delete task.artifacts,
      'a time that is none': ({ task }) => Object.assign(task.status as Json, { timestamp: 'soon' }),
      'another owner': ({ task }) => delete ((task.artifacts as Json[])[0] as Json).metadata,
      'another head': ({ envelope }) =>
        Object.assign(envelope.event_log, { head: `sha256:${'0'.repeat(64)}` }),
      'another attestation': ({ envelope }) => Object.assign(envelope.attestation, { key_id: 'other' }),
      'a key that nobody knows': ({ task }) => Object.assign(task.metadata as Json, { 'https://x/y': 1 }),
    };
    for (const bend of Object.values(bent)) shows(bend);
    assert.match(
      shows(({ task }) => Object.assign(task, { status: 'done' })),
      /"strange":"status"/,
    );
  });

  it('recomputes what it gives a name to', () => {
    const one = run();
    one.envelope.result_digest = `sha256:${'1'.repeat(64)}`;
    assert.match(JSON.stringify(plainOf(one).task(one.task)), /sha256:1{64}/);
    (one.log[1] as { event: Json }).event = { strange: true };
    assert.equal('strange' in plainOf(one).event(one.log[1]?.event as Json), true);
  });

  it('keeps of an error its code and reason, and of what is no answer its text', () => {
    const plain = plainOf(run());
    const common = { status: 400, echoed: true, text: 'no' };
    assert.deepEqual(plain.answer({ ...common, error: { code: -32001, reason: 'TASK_NOT_FOUND' } }), {
      code: -32001,
      reason: 'TASK_NOT_FOUND',
    });
    assert.deepEqual(plain.list(common), { neither: '400 no' });
  });
});
