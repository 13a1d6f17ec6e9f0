/** What must hold of every ended task, recomputed from outside: one terminal, log = Task = envelope, a signature that verifies. */
import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import { flattenedVerify } from 'jose';
import type { Journal } from '../../journal/journal.js';
import { artifactDigest, foldArtifact } from '../../profile/artifacts.js';
import { jcs } from '../../profile/canonical.js';
import { firstHead, nextHead } from '../../profile/chain.js';
import { envelopeSchema, resultDigest } from '../../profile/envelope.js';
import { isTerminal } from '../../profile/lifecycle.js';
import type { Artifact, EventBody, ResultEnvelope } from '../../profile/model.js';
import { KEY } from '../../profile/names.js';
import type { TaskSnapshot } from '../service.js';

/** Rejects with what does not hold; resolves with the envelope. */
export async function assertSound(
  journal: Journal,
  snapshot: TaskSnapshot,
  key: KeyObject,
): Promise<ResultEnvelope> {
  const { row, result } = snapshot;
  assert.ok(isTerminal(row.state), `${row.taskId} has not ended`);
  assert.ok(result !== undefined, `${row.taskId} has no result`);
  envelopeSchema.parse(result);
  const events = journal.read(row.taskId, 0, 1_000_000)?.events ?? [];
  const artifacts = new Map<string, Artifact>();
  let head = firstHead(row.taskId, row.requestDigest);
  for (const [index, { sequence, body, meta }] of events.entries()) {
    assert.equal(sequence, index + 1);
    head = nextHead(head, body);
    const event = JSON.parse(body) as EventBody;
    if ('artifactUpdate' in event) foldArtifact(artifacts, event.artifactUpdate);
    const ends = 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state);
    assert.equal(ends, index === events.length - 1, `event ${sequence} of ${events.length}`);
    assert.equal(meta?.includes(KEY.result) === true, ends);
  }
  assert.deepEqual(result.event_log, { last_sequence: events.length, head });
  assert.equal(row.head, head);
  assert.deepEqual(snapshot.artifacts, [...artifacts.values()]);
  assert.deepEqual(
    result.artifacts.map(({ artifact_id, digest }) => [artifact_id, digest]),
    snapshot.artifacts.map((artifact) => [artifact.artifactId, artifactDigest(artifact)]),
  );
  assert.equal(result.signed_at, snapshot.status.timestamp);
  assert.equal(result.summary, snapshot.status.message?.parts[0]?.text ?? '');
  assert.equal(result.request_digest, row.requestDigest);
  assert.equal(result.result_digest, resultDigest(result));
  assert.equal(result.cancel_requested_at !== undefined, row.cancelRequestedAt !== undefined);
  const { attestation, ...payload } = result;
  await flattenedVerify(
    {
      protected: attestation.protected,
      signature: attestation.signature,
      payload: Buffer.from(jcs(payload)).toString('base64url'),
    },
    key,
    { algorithms: ['EdDSA'] },
  );
  return result;
}
