/** One finished task as an honest executor tells it: its events, its Task, its signed envelope. */
import { artifactDigest } from '../../profile/artifacts.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import { signEnvelope, type UnsignedEnvelope } from '../../profile/envelope.js';
import type {
  Artifact,
  DelegationRequest,
  Digest,
  EventBody,
  Outcome,
  ResultEnvelope,
  Task,
} from '../../profile/model.js';
import { KEY } from '../../profile/names.js';
import { coreState } from '../../profile/outcome.js';
import { requestDigest } from '../../profile/request.js';
import type { keyPair } from '../../profile/testing.js';

export interface Story {
  taskId: string;
  turnId: string;
  events: EventBody[];
  task: Task;
  envelope: ResultEnvelope;
}

export interface Telling {
  key: { kid: string; key: ReturnType<typeof keyPair>['privateKey'] };
  outcome: Outcome;
  /** How many chunks the answer has. */
  chunks: number;
  signedAt: string;
  /** What the executor signs in place of the truth. */
  bend(envelope: UnsignedEnvelope): UnsignedEnvelope;
}

export function tell(taskId: string, request: DelegationRequest, telling: Telling): Story {
  const names = { taskId, contextId: `context-of-${taskId}` };
  const turnId = `turn-of-${taskId}`;
  const { signedAt, chunks, outcome } = telling;
  const status = (state: Task['status']['state']): EventBody => ({
    statusUpdate: { ...names, status: { state, timestamp: signedAt } },
  });
  const parts = Array.from({ length: chunks }, (_, index) => ({ text: `${index} ` }));
  const answer: Artifact = { artifactId: 'answer', parts };
  const summary = 'all counted';
  const last: EventBody = {
    statusUpdate: {
      ...names,
      status: {
        state: coreState(outcome),
        timestamp: signedAt,
        message: { messageId: 'last', role: 'ROLE_AGENT', parts: [{ text: summary }] },
      },
    },
  };
  const events: EventBody[] = [
    status('TASK_STATE_SUBMITTED'),
    status('TASK_STATE_WORKING'),
    ...parts.map((part, index) => ({
      artifactUpdate: {
        ...names,
        artifact: { artifactId: 'answer', parts: [part] },
        ...(index > 0 ? { append: true } : {}),
      },
    })),
    last,
  ];
  const digest = requestDigest(request);
  const head = events.reduce<Digest>(headAfter, firstHead(taskId, digest));
  const envelope = signEnvelope(
    telling.bend({
      protocol_version: 1,
      request_id: request.request_id,
      task_id: taskId,
      turn_id: turnId,
      status: outcome,
      summary,
      error: outcome === 'completed' ? null : { code: 'REFUSED', message: 'the agent refused' },
      executed_by: request.target_peer,
      caller: 'oab-a',
      effective_capabilities: request.capabilities,
      request_digest: digest,
      artifacts:
        chunks === 0
          ? []
          : [{ artifact_id: 'answer', owner: request.target_peer, digest: artifactDigest(answer) }],
      side_effects: [{ kind: 'boundary', evidence: 'unverified' }],
      event_log: { last_sequence: events.length, head },
      signed_at: signedAt,
    }),
    telling.key,
  );
  const task: Task = {
    id: taskId,
    contextId: names.contextId,
    status: last.statusUpdate.status,
    ...(chunks === 0 ? {} : { artifacts: [{ ...answer, metadata: { [KEY.owner]: request.target_peer } }] }),
    metadata: { [KEY.result]: envelope },
  };
  return { taskId, turnId, events, task, envelope };
}
