/** Names for what is new in each run, so that two runs of one scenario can be compared: ids, cursors, heads, digests. */
import { artifactDigest, foldArtifact } from '../../profile/artifacts.js';
import { digestOf, jcs } from '../../profile/canonical.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import { canonicalEvent, NotAnEvent } from '../../profile/event-form.js';
import type { Artifact, Digest } from '../../profile/model.js';
import { KEY } from '../../profile/names.js';
import type { Seen } from '../run/observe.js';
import type { Json } from '../wire/probe.js';
import { type WireRequest, wireDigest } from '../wire/request.js';

type Kind =
  | 'task'
  | 'context'
  | 'turn'
  | 'request'
  | 'digest'
  | 'cursor'
  | 'head'
  | 'message'
  | 'artifact'
  | 'attestation';

/** A value that nothing was learned about keeps standing there as it is, and so differs from any name. */
export class Names {
  readonly mark: string;
  readonly #known = new Map<string, string>();

  /** `mark` is what the scripted agent ends its sayings with. */
  constructor(mark: string) {
    this.mark = mark;
  }

  learn(kind: Kind, value: unknown, name: string): void {
    this.#known.set(`${kind} ${String(value)}`, `<${name}>`);
  }

  of(kind: Kind, value: unknown): unknown {
    return this.#known.get(`${kind} ${String(value)}`) ?? value;
  }
}

/**
 * `task` is the ended Task and `log` its whole log, as one of those who are compared received them. Heads and digests
 * are recomputed here, so that a name says that the value is right.
 */
export function namesOf(request: WireRequest, task: Json, log: readonly Seen[]): Names {
  const names = new Names(/^mark (.*)$/m.exec(request.task)?.[1] ?? '');
  const { [KEY.event]: place, [KEY.result]: envelope } = (task.metadata ?? {}) as Record<string, Json>;
  const digest = wireDigest(request) as Digest;
  names.learn('task', task.id, 'task');
  names.learn('context', task.contextId, 'context');
  names.learn('turn', place?.turn_id, 'turn');
  names.learn('request', request.request_id, 'request');
  names.learn('digest', digest, 'request digest');

  const artifacts = new Map<string, Artifact>();
  let head = firstHead(String(task.id), digest);
  for (const { sequence, cursor, event } of log) {
    names.learn('cursor', cursor, `cursor ${sequence}`);
    try {
      const body = canonicalEvent(event);
      head = headAfter(head, body);
      names.learn('head', head, `head ${sequence}`);
      if ('artifactUpdate' in body) foldArtifact(artifacts, body.artifactUpdate);
      else names.learn('message', body.statusUpdate.status.message?.messageId, `message ${sequence}`);
    } catch (error) {
      // No name is learned of what is no event, and so it shows.
      if (!(error instanceof NotAnEvent)) throw error;
    }
  }
  [...artifacts.values()].forEach((artifact, at) => {
    names.learn('artifact', artifact.artifactId, `artifact ${at + 1}`);
    names.learn('digest', artifactDigest(artifact), `digest of <artifact ${at + 1}>`);
  });
  if (envelope !== undefined) {
    const { attestation, result_digest: _own, ...signed } = envelope;
    names.learn('digest', digestOf(signed), 'result digest');
    names.learn('attestation', jcs(attestation), 'attestation');
  }
  return names;
}
