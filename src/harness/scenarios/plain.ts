/**
 * What was received, in the form in which it can be compared: canonical A2A (profile section 4), what the extension puts
 * beside it under `beside`, and names for what is new each time. What an executor may word or name as it likes (the
 * sentence of a progress message, an artifact's name, the words of an error) is left out; digests cover it.
 */
import { jcs } from '../../profile/canonical.js';
import { canonicalArtifact, canonicalEvent, canonicalStatus } from '../../profile/event-form.js';
import { isTerminal } from '../../profile/lifecycle.js';
import type { Artifact, Part, TaskStatus } from '../../profile/model.js';
import { EXT, KEY } from '../../profile/names.js';
import type { Json, ProbeAnswer, Session } from '../wire/probe.js';
import { MARK } from './acts.js';
import type { Names } from './names.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export class Plain {
  readonly #names: Names;
  readonly #words: readonly string[];

  /** `words` are those of the scenario that a progress message may have. */
  constructor(names: Names, words: readonly string[]) {
    this.#names = names;
    this.#words = words;
  }

  /** A result as the Task that it is, or the refusal. */
  answer({ result, error, status, text }: ProbeAnswer): Json {
    if (result !== undefined) return this.task(result);
    if (error !== undefined) return { code: error.code, reason: error.reason };
    return { neither: `${status} ${text.slice(0, 200)}` };
  }

  /** How many a page has at most is the executor's to say. */
  list({ result, ...answer }: ProbeAnswer): Json {
    if (result === undefined) return this.answer(answer);
    const { tasks, nextPageToken, totalSize } = result as { tasks?: Json[] } & Json;
    return { tasks: (tasks ?? []).map((task) => this.task(task)), nextPageToken, totalSize };
  }

  /** A whole stream, or its refusal. */
  async stream(session: Session): Promise<Json> {
    const refusal = await session.refusal;
    if (refusal !== undefined) return this.answer(refusal);
    const items = session.frames.map(({ json }) => this.item(json));
    return { items, end: await session.ended, strange: session.strange() };
  }

  /** One item of a stream. */
  item(json: Json): Json {
    return 'task' in json ? { task: this.task(json.task as Json) } : this.event(json);
  }

  event(json: Json): Json {
    return this.#orAsItIs(json, () => {
      const body = canonicalEvent(json);
      const raw = (json.statusUpdate ?? json.artifactUpdate) as { metadata?: Json; artifact?: Json };
      const beside = this.#beside(raw.metadata);
      if ('statusUpdate' in body) {
        const { status, ...update } = body.statusUpdate;
        return { statusUpdate: { ...this.#ids(update), status: this.#status(status) }, beside };
      }
      const { artifact: _canonical, ...update } = body.artifactUpdate;
      const artifact = this.#artifact(raw.artifact as Json);
      return { artifactUpdate: { ...this.#ids(update), artifact }, beside };
    });
  }

  task(json: Json): Json {
    return this.#orAsItIs(json, () => ({
      id: this.#names.of('task', json.id),
      contextId: this.#names.of('context', json.contextId),
      status: this.#status(canonicalStatus(json.status)),
      artifacts: ((json.artifacts ?? []) as Json[]).map((artifact) => this.#artifact(artifact)),
      beside: this.#beside(json.metadata as Json | undefined),
    }));
  }

  /** What is no A2A shows as what it is. */
  #orAsItIs(json: Json, plain: () => Json): Json {
    try {
      return plain();
    } catch (error) {
      return { strange: (error as Error).message, json };
    }
  }

  #ids<T extends { taskId: string; contextId: string }>(update: T): Json {
    return {
      ...update,
      taskId: this.#names.of('task', update.taskId),
      contextId: this.#names.of('context', update.contextId),
    };
  }

  #status({ state, message, timestamp }: TaskStatus): Json {
    const status = { state, timestamp: time(timestamp) };
    if (message === undefined) return status;
    const { messageId, role, parts, ...more } = message;
    const text = parts.map((part) => this.#part(part).text ?? jcs(part)).join('\n');
    // The summary is signed; other messages are worded by the executor.
    const said = isTerminal(state) ? { text } : { says: this.#words.filter((word) => text.includes(word)) };
    return {
      ...status,
      message: { messageId: this.#names.of('message', messageId), role, ...said, ...more },
    };
  }

  #artifact(json: Json): Json {
    const { artifactId, parts, metadata, extensions } = canonicalArtifact(json) as Artifact;
    return {
      artifactId: this.#names.of('artifact', artifactId),
      parts: parts.map((part) => this.#part(part)),
      ...(metadata && { metadata }),
      ...(extensions && { extensions }),
      owner: (json.metadata as Json | undefined)?.[KEY.owner],
    };
  }

  #part(part: Part): Part {
    return part.text === undefined ? part : { ...part, text: this.#unmarked(part.text) };
  }

  #unmarked(text: string): string {
    return this.#names.mark === '' ? text : text.replaceAll(this.#names.mark, MARK);
  }

  /** Under the extension's own names; what else is in the metadata stands beside them. */
  #beside(metadata: Json = {}): Json {
    return Object.fromEntries(
      Object.entries(metadata).map(([key, value]) => {
        const json = value as Json;
        switch (key) {
          case KEY.event:
            return ['event', this.#place(json)];
          case KEY.cancel:
            return ['cancel', { ...json, requested_at: time(json.requested_at) }];
          case KEY.events:
            return ['events', this.#page(json)];
          case KEY.result:
            return ['result', this.#result(json)];
          default:
            return [key.startsWith(EXT) ? `unknown ${key}` : key, value];
        }
      }),
    );
  }

  #place({ turn_id, cursor, head, deadline_at, ...place }: Json): Json {
    return {
      ...place,
      turn_id: this.#names.of('turn', turn_id),
      cursor: this.#names.of('cursor', cursor),
      ...(head === undefined ? {} : { head: this.#names.of('head', head) }),
      ...(deadline_at === undefined ? {} : { deadline_at: time(deadline_at) }),
    };
  }

  #page({ events, next, ...page }: Json): Json {
    return {
      ...page,
      next: this.#names.of('cursor', next),
      events: (events as { sequence: number; cursor: string; event: Json }[]).map(
        ({ sequence, cursor, event }) => ({
          sequence,
          cursor: this.#names.of('cursor', cursor),
          event: this.event(event),
        }),
      ),
    };
  }

  #result(envelope: Json): Json {
    const of = this.#names.of.bind(this.#names);
    const { error, artifacts, side_effects, event_log, cancel_requested_at, ...rest } = envelope;
    const log = event_log as Json;
    return {
      ...rest,
      request_id: of('request', rest.request_id),
      task_id: of('task', rest.task_id),
      turn_id: of('turn', rest.turn_id),
      summary: this.#unmarked(String(rest.summary)),
      error: error === null ? null : { code: (error as Json).code },
      request_digest: of('digest', rest.request_digest),
      result_digest: of('digest', rest.result_digest),
      artifacts: (artifacts as Json[]).map(({ artifact_id, digest, ...artifact }) => ({
        ...artifact,
        artifact_id: of('artifact', artifact_id),
        digest: of('digest', digest),
      })),
      // That there is no enforced boundary is the deployment's to say, and a target is optional.
      side_effects: (side_effects as Json[])
        .filter(({ kind }) => kind !== 'boundary')
        .map(({ target: _target, ...effect }) => effect),
      event_log: { ...log, head: of('head', log.head) },
      signed_at: time(rest.signed_at),
      ...(cancel_requested_at === undefined ? {} : { cancel_requested_at: time(cancel_requested_at) }),
      attestation: of('attestation', jcs(rest.attestation)),
    };
  }
}

function time(value: unknown): unknown {
  return typeof value === 'string' && TIME.test(value) ? '<time>' : value;
}
