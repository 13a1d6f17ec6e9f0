import assert from 'node:assert/strict';
import { acceptResult, type Expectation, type Received } from './acceptance.js';
import { artifactDigest } from './artifacts.js';
import { type ResultKey, signEnvelope, type UnsignedEnvelope } from './envelope.js';
import type { ResultEnvelope, Task } from './model.js';
import { EXT, KEY } from './names.js';
import { observation } from './observation.js';
import { honestEnvelope, keyPair } from './testing.js';

const { privateKey, publicKey } = keyPair();
const key: ResultKey = { key: publicKey, notBefore: 0, state: 'active' };
const answer = { artifactId: 'a', parts: [{ text: 'one' }], metadata: { [KEY.owner]: 'oab-b' } };
const other = { ...answer, artifactId: 'b' };
const entry = (artifact: typeof answer) => ({
  artifact_id: artifact.artifactId,
  owner: 'oab-b',
  digest: artifactDigest(artifact),
});

const expectation: Expectation = {
  requestId: 'req-1',
  requestDigest: honestEnvelope().request_digest,
  taskId: 'task-1',
  turnId: 'turn-1',
  executor: 'oab-b',
  caller: 'oab-a',
  requested: ['repo:read'],
};

/** What an honest executor shows for an envelope, Task and terminal event alike. */
function received(unsigned: Partial<UnsignedEnvelope> = {}) {
  const envelope = signEnvelope(honestEnvelope({ artifacts: [entry(answer)], ...unsigned }), {
    kid: 'k1',
    key: privateKey,
  });
  const status: Task['status'] = {
    state: 'TASK_STATE_COMPLETED',
    timestamp: envelope.signed_at,
    message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: envelope.summary }] },
  };
  const task = {
    id: 'task-1',
    contextId: 'context-1',
    status: structuredClone(status),
    artifacts: [structuredClone(answer)],
    metadata: { [KEY.result]: structuredClone(envelope) } as Record<string, unknown>,
  };
  const terminal = {
    statusUpdate: { status, metadata: { [KEY.result]: envelope } as Record<string, unknown> },
  };
  return { task, terminal, lastSequence: envelope.event_log.last_sequence } satisfies Received;
}

const verdict = (
  what: Received,
  expected: Partial<Expectation> = {},
  find: (kid: string) => ResultKey | undefined = (kid) => (kid === 'k1' ? key : undefined),
) => {
  const accepted = acceptResult(what, { ...expectation, ...expected }, find);
  return 'refused' in accepted ? accepted.refused : 'accepted';
};
type Honest = ReturnType<typeof received>;
const bent = (change: (honest: Honest) => void, unsigned?: Partial<UnsignedEnvelope>) => {
  const honest = received(unsigned);
  change(honest);
  return verdict(honest as Received);
};
/** Any JSON may come from a peer; the types speak of honest ones. */
const raw = (value: unknown): Record<string, unknown> => value as Record<string, unknown>;

describe('the acceptance of a result (profile section 6)', () => {
  it('believes an honest one, with and without the terminal event', () => {
    assert.equal(verdict(received()), 'accepted');
    const { task, lastSequence } = received();
    assert.equal(verdict({ task, lastSequence }), 'accepted');
    assert.equal(
      bent(
        ({ task, terminal }) => {
          delete raw(task.status).message;
          delete raw(terminal.statusUpdate.status).message;
        },
        { summary: '' },
      ),
      'accepted',
    );
  });

  it('holds it to what the coordinator itself knows', () => {
    assert.equal(verdict(received(), { requestId: 'req-2' }), 'WRONG_REQUEST');
    assert.equal(verdict(received(), { requestDigest: `sha256:${'c'.repeat(64)}` }), 'WRONG_REQUEST_DIGEST');
    assert.equal(verdict(received(), { taskId: 'task-2' }), 'WRONG_TASK');
    assert.equal(verdict(received(), { turnId: 'turn-2' }), 'WRONG_TURN');
    assert.equal(verdict(received(), { executor: 'oab-c' }), 'WRONG_EXECUTOR');
    assert.equal(verdict(received(), { caller: 'oab-c' }), 'WRONG_CALLER');
    assert.equal(verdict(received(), { requested: ['exec'] }), 'CAPABILITIES_WIDENED');
    assert.equal(
      verdict(received(), {}, () => undefined),
      'KEY_UNKNOWN',
    );
  });

  it('holds Task, terminal event and envelope to one another', () => {
    assert.equal(
      bent(({ task }) => {
        task.metadata = {};
      }),
      'NO_RESULT',
    );
    assert.equal(
      bent(({ task }) => {
        task.status.state = 'TASK_STATE_FAILED';
      }),
      'STATUS_MISMATCH',
    );
    assert.equal(
      bent(() => undefined, { status: 'failed' }),
      'STATUS_MISMATCH',
    );
    assert.equal(
      bent((honest) => {
        honest.lastSequence += 1;
      }),
      'TERMINAL_MISMATCH',
    );
    for (const where of ['task', 'terminal'] as const) {
      const status = (honest: Honest) =>
        raw(where === 'task' ? honest.task.status : honest.terminal.statusUpdate.status);
      const changes: [string, (of: Record<string, unknown>) => void][] = [
        ['TERMINAL_MISMATCH', (of) => Object.assign(of, { timestamp: '2026-12-01T00:00:02.000Z' })],
        ['TERMINAL_MISMATCH', (of) => delete of.timestamp],
        ['TERMINAL_MISMATCH', (of) => delete of.message],
        ['TERMINAL_MISMATCH', (of) => Object.assign(raw(of.message), { parts: [{ text: 'lie' }] })],
        ['TERMINAL_MISMATCH', twice],
        ['MALFORMED_TASK', (of) => Object.assign(of, { timestamp: 'yesterday' })],
        ['MALFORMED_TASK', (of) => Object.assign(of, { message: 'text' })],
      ];
      for (const [reason, change] of changes)
        assert.equal(
          bent((honest) => change(status(honest))),
          reason,
          `${where}: ${change}`,
        );
    }
    assert.equal(
      bent(({ terminal }) => {
        terminal.statusUpdate.metadata = {};
      }),
      'COPIES_DIFFER',
    );
    assert.equal(
      bent(({ terminal }) => {
        const copy = terminal.statusUpdate.metadata[KEY.result] as ResultEnvelope;
        terminal.statusUpdate.metadata[KEY.result] = { ...copy, summary: 'other' };
      }),
      'COPIES_DIFFER',
    );
  });

  it('holds the set of artifacts, each digest and each owner to the envelope', () => {
    const artifacts = (list: unknown, unsigned?: Partial<UnsignedEnvelope>) =>
      bent(({ task }) => Object.assign(task, { artifacts: list }), unsigned);
    assert.equal(artifacts([]), 'ARTIFACTS_DIFFER');
    assert.equal(artifacts([answer, other]), 'ARTIFACTS_DIFFER');
    assert.equal(artifacts([other]), 'ARTIFACTS_DIFFER');
    // One twice, so that the count hides that the other is missing.
    assert.equal(
      artifacts([answer, answer], { artifacts: [entry(answer), entry(other)] }),
      'ARTIFACTS_DIFFER',
    );
    assert.equal(artifacts([answer], { artifacts: [entry(answer), entry(answer)] }), 'ARTIFACTS_DIFFER');
    assert.equal(artifacts([{ ...answer, parts: [{ text: 'two' }] }]), 'ARTIFACT_DIGEST_MISMATCH');
    assert.equal(artifacts([{ ...answer, metadata: {} }]), 'OWNER_MISMATCH');
    assert.equal(
      artifacts([answer], { artifacts: [{ ...entry(answer), owner: 'oab-c' }] }),
      'OWNER_MISMATCH',
    );
    assert.equal(artifacts([{ ...answer, extensions: [EXT] }]), 'accepted');
    for (const broken of [
      [null],
      [{ ...answer, parts: [{ text: 'one', url: 'x' }] }],
      'text',
      [{ ...answer, parts: 1 }],
    ])
      assert.notEqual(artifacts(broken), 'accepted', JSON.stringify(broken));
  });
});

describe('observation', () => {
  it('grades what was seen against the signed log', () => {
    const head = `sha256:${'a'.repeat(64)}` as const;
    const log = { last_sequence: 5, head };
    const grade = (more: object) => observation({ from: 0, last: 5, head, gaps: false, ...more }, log);
    assert.equal(grade({}), 'complete');
    assert.equal(grade({ from: 2 }), 'suffix');
    assert.equal(grade({ last: 4 }), 'incomplete');
    assert.equal(grade({ gaps: true }), 'incomplete');
    assert.equal(grade({ last: 6 }), 'contradicted');
    const other = `sha256:${'b'.repeat(64)}`;
    assert.equal(grade({ head: other }), 'contradicted');
    // What is missing excuses nothing that came behind it: a gap ends at a floor, and the chain goes on from its head.
    assert.equal(grade({ gaps: true, from: 3, head: other }), 'contradicted');
    assert.equal(grade({ last: 4, head: other }), 'incomplete');
  });
});

/** Two parts that together read like the summary are not its one text part. */
function twice(status: Record<string, unknown>): void {
  raw(status.message).parts = [{ text: 'do' }, { text: 'ne' }];
}
