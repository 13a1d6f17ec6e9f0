import assert from 'node:assert/strict';
import { StreamResponse } from '@a2a-js/sdk';
import { foldArtifact } from './artifacts.js';
import { jcs, sha256 } from './canonical.js';
import { firstHead, headAfter, nextHead } from './chain.js';
import { canonicalEvent, canonicalInstant, NotAnEvent } from './event-form.js';
import type { Artifact } from './model.js';
import { KEY } from './names.js';

const status = {
  statusUpdate: {
    taskId: 't',
    contextId: 'c',
    status: {
      state: 'TASK_STATE_WORKING',
      timestamp: '2026-12-01T00:00:00.000Z',
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] },
    },
  },
} as const;
const artifact = {
  artifactUpdate: {
    taskId: 't',
    contextId: 'c',
    artifact: { artifactId: 'a', name: 'n', parts: [{ raw: 'AAA=', mediaType: 'image/png' }, { text: '' }] },
    append: true,
    lastChunk: true,
  },
} as const;

describe('the canonical event form', () => {
  it('leaves a canonical event as it is, and survives the SDK’s own round trip', () => {
    for (const event of [status, artifact]) {
      assert.equal(jcs(canonicalEvent(event)), jcs(event));
      assert.equal(jcs(canonicalEvent(StreamResponse.toJSON(StreamResponse.fromJSON(event)))), jcs(event));
    }
  });

  it('is the same for every spelling of one event', () => {
    const spelled = {
      statusUpdate: {
        ...status.statusUpdate,
        metadata: { [KEY.event]: { sequence: 3 }, [KEY.result]: { any: 1 } },
        unknown: 1,
        status: {
          ...status.statusUpdate.status,
          timestamp: '2026-12-01T01:00:00+01:00',
          message: { ...status.statusUpdate.status.message, contextId: '', extensions: [], metadata: {} },
        },
      },
    };
    assert.equal(jcs(canonicalEvent(spelled)), jcs(status));
    const loose = structuredClone(artifact) as unknown as {
      artifactUpdate: { artifact: { parts: { raw?: string }[]; metadata?: object } };
    };
    (loose.artifactUpdate.artifact.parts[0] as { raw: string }).raw = 'AAA';
    loose.artifactUpdate.artifact.metadata = { [KEY.owner]: 'oab-b' };
    assert.equal(jcs(canonicalEvent(loose)), jcs(artifact));
    const notAppended = { artifactUpdate: { ...artifact.artifactUpdate, append: false, lastChunk: false } };
    assert.ok(!jcs(canonicalEvent(notAppended)).includes('append'));
  });

  it('keeps foreign metadata and free data untouched', () => {
    const event = { statusUpdate: { ...status.statusUpdate, metadata: { other: { a: '' } } } };
    assert.equal(jcs(canonicalEvent(event)), jcs(event));
    const data = {
      artifactUpdate: {
        ...artifact.artifactUpdate,
        artifact: { artifactId: 'a', parts: [{ data: { b: '', c: [], d: null } }] },
      },
    };
    assert.ok(jcs(canonicalEvent(data)).includes('{"b":"","c":[],"d":null}'));
  });

  it('is nothing else’s', () => {
    for (const bad of [
      null,
      1,
      {},
      { task: {} },
      { ...status, ...artifact },
      { ...artifact, task: {} },
      ...[
        { text: 'a', url: 'b' },
        { text: 'a', data: null },
        { raw: 'AA==', text: '' },
      ].map((part) => ({
        artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [part] } },
      })),
      { statusUpdate: {} },
      { artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{}] } } },
    ]) {
      assert.throws(() => canonicalEvent(bad), NotAnEvent, JSON.stringify(bad));
    }
    assert.equal(canonicalInstant('2026-12-01T00:00:00.123456Z'), '2026-12-01T00:00:00.123Z');
    assert.throws(() => canonicalInstant('yesterday'), NotAnEvent);
  });
});

describe('the chain', () => {
  it('begins with task and request, and hashes what was received in canonical form', () => {
    const head = firstHead('t', sha256('r'));
    assert.equal(head, sha256(`oab-event-log/v1\nt\n${sha256('r')}`));
    assert.equal(headAfter(head, status), nextHead(head, jcs(status)));
    assert.notEqual(
      headAfter(headAfter(head, status), artifact),
      headAfter(headAfter(head, artifact), status),
    );
  });
});

describe('artifacts', () => {
  it('are appended to in order and never merged; without append they are replaced (OPEN-18)', () => {
    const all = new Map<string, Artifact>();
    const put = (text: string, append: boolean) =>
      foldArtifact(all, {
        taskId: 't',
        contextId: 'c',
        artifact: { artifactId: 'a', parts: [{ text }] },
        append,
      });
    put('1', false);
    put('2', true);
    put('3', true);
    assert.deepEqual(all.get('a')?.parts, [{ text: '1' }, { text: '2' }, { text: '3' }]);
    put('4', false);
    assert.deepEqual(all.get('a')?.parts, [{ text: '4' }]);
  });
});
