/** An executor behind the coordinator's port, in this process: honest, unless a test replaces one of its verbs. */
import { randomUUID } from 'node:crypto';
import type { CardParams, DelegationRequest, EventPosition, Task } from '../../profile/model.js';
import { KEY } from '../../profile/names.js';
import { keyPair } from '../../profile/testing.js';
import { type PeerConnection, PeerRefusal, type RemoteFrame, type RemoteTask } from '../connection.js';
import { type Story, type Telling, tell } from './story.js';

export const PARAMS: CardParams = {
  maxDepth: 1,
  cursor: { serviceParameter: 'OAB-Cursor', retentionSeconds: 3600 },
  idempotency: { windowSeconds: 3600 },
  heartbeatSeconds: 1,
  stopGraceMs: 2000,
  revocationSeconds: 1,
  limits: {
    maxTaskBytes: 65_536,
    maxDeadlineMs: 3_000_000,
    maxOutputBytes: 1_048_576,
    maxEvents: 1000,
    maxEventBytes: 65_536,
    maxFrameBytes: 4_194_304,
  },
  capabilities: ['repo:read'],
  results: { algorithm: 'EdDSA', canonicalization: 'RFC8785', jwks: { keys: [] } },
};

type Verbs = Omit<PeerConnection, 'close'>;

export class FakePeer {
  readonly pair = keyPair();
  readonly kid = 'kid-of-oab-b';
  /** Every call in order, `verb` or `verb argument`. */
  readonly calls: string[] = [];
  /** The text of each create that came, as it came. */
  readonly creates: string[] = [];
  readonly stories = new Map<string, Story>();
  telling: Partial<Telling> = {};
  /** How far the log is visible; undefined: to its end. */
  written: number | undefined;
  /** Events up to this one were trimmed. */
  floor: { sequence: number; head: `sha256:${string}` } | undefined;
  pageSize = 3;
  /** A test's replacement of a verb; it gets the honest one. */
  replace: { [V in keyof Verbs]?: (honest: Verbs[V]) => Verbs[V] } = {};
  connections = 0;

  connect(): PeerConnection {
    this.connections += 1;
    const honest: Verbs = {
      describe: async () => ({ card: {}, params: PARAMS, url: 'http://oab-b.lab/' }),
      create: async (request) => this.#create(request),
      get: async (taskId, cursor) => this.#get(taskId, cursor),
      observe: (taskId) => this.#observe(taskId),
      cancel: async (taskId) => this.#get(taskId, undefined),
    };
    const verb = <V extends keyof Verbs>(name: V): Verbs[V] =>
      this.replace[name]?.(honest[name]) ?? honest[name];
    return {
      describe: (options) => verb('describe')(options),
      create: (request, options) => {
        this.calls.push('create');
        this.creates.push(JSON.stringify(request));
        return verb('create')(request, options);
      },
      get: (taskId, cursor, options) => {
        this.calls.push(cursor === undefined ? 'get' : `get ${cursor}`);
        return verb('get')(taskId, cursor, options);
      },
      observe: (taskId, options) => {
        this.calls.push('observe');
        return verb('observe')(taskId, options);
      },
      cancel: (taskId, options) => {
        this.calls.push('cancel');
        return verb('cancel')(taskId, options);
      },
      close: async () => {
        this.connections -= 1;
      },
    };
  }

  story(taskId: string): Story {
    const story = this.stories.get(taskId);
    if (story === undefined) throw new PeerRefusal('TASK_NOT_FOUND', -32001, false);
    return story;
  }

  #create(request: DelegationRequest): RemoteTask {
    const known = [...this.stories.values()].find(
      ({ envelope }) => envelope.request_id === request.request_id,
    );
    const taskId = known?.taskId ?? `task-${randomUUID()}`;
    if (known === undefined) {
      this.stories.set(
        taskId,
        tell(taskId, request, {
          key: { kid: this.kid, key: this.pair.privateKey },
          outcome: 'completed',
          chunks: 4,
          signedAt: request.issued_at,
          bend: (envelope) => envelope,
          ...this.telling,
        }),
      );
    }
    return this.#task(this.story(taskId), known === undefined ? 1 : this.#end(this.story(taskId)));
  }

  #end(story: Story): number {
    return Math.min(this.written ?? story.events.length, story.events.length);
  }

  #get(taskId: string, cursor: string | undefined): RemoteTask {
    const story = this.story(taskId);
    const end = this.#end(story);
    const remote = this.#task(story, end);
    if (cursor === undefined) return remote;
    const after = cursor === '0' ? 0 : Number(cursor.slice(1));
    if (!Number.isInteger(after) || after > end) throw new PeerRefusal('CURSOR_INVALID', -32602, false);
    const from = Math.max(after, this.floor?.sequence ?? 0);
    const upTo = Math.min(end, from + this.pageSize);
    const events = story.events.slice(from, upTo).map((event, index) => {
      const sequence = from + index + 1;
      return { sequence, cursor: `c${sequence}`, event: stamped(story, sequence, event) };
    });
    return {
      ...remote,
      page: {
        events,
        next: upTo === end ? '' : `c${upTo}`,
        complete: from === after,
        ...(this.floor === undefined ? {} : { floor: this.floor }),
      },
    };
  }

  async *#observe(taskId: string): AsyncGenerator<RemoteFrame> {
    const story = this.story(taskId);
    if (this.#end(story) === story.events.length && this.written !== undefined)
      throw new PeerRefusal('UNSUPPORTED_OPERATION', -32004, false);
    yield { task: this.#task(story, 1) };
    for (let sequence = 2; sequence <= this.#end(story); sequence += 1) yield frame(story, sequence);
  }

  #task(story: Story, sequence: number): RemoteTask {
    const position: EventPosition = { turn_id: story.turnId, sequence, cursor: `c${sequence}` };
    if (sequence === story.events.length) return { task: story.task, position, result: story.envelope };
    const task: Task = {
      id: story.taskId,
      contextId: story.task.contextId,
      status: { state: 'TASK_STATE_WORKING', timestamp: story.envelope.signed_at },
    };
    return { task, position };
  }
}

/** One live event. */
export function frame(story: Story, sequence: number): Extract<RemoteFrame, { event: unknown }> {
  const event = story.events[sequence - 1];
  if (event === undefined) throw new Error(`no event ${sequence}`);
  return {
    event: stamped(story, sequence, event),
    position: { turn_id: story.turnId, sequence, cursor: `c${sequence}` },
  };
}

/** As on the wire: the terminal event carries a copy of the result. */
function stamped(story: Story, sequence: number, event: Story['events'][number]): Story['events'][number] {
  if (sequence !== story.events.length || !('statusUpdate' in event)) return event;
  return { statusUpdate: { ...event.statusUpdate, metadata: { [KEY.result]: story.envelope } } };
}
