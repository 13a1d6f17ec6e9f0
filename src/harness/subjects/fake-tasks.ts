/** The tasks of the harness in an executor's place, and what is told of them, whatever binding carries it. */
import type { UnsignedEnvelope } from '../../profile/envelope.js';
import type { DelegationRequest, ResultEnvelope } from '../../profile/model.js';
import type { FakeParts, Received } from './fake-parts.js';
import { pageOf, type Story, type StoryEvent, type StoryPage, tell } from './fake-story.js';

interface Signers {
  sign(unsigned: UnsignedEnvelope): ResultEnvelope;
  strangerSigns(unsigned: UnsignedEnvelope): ResultEnvelope;
}

export class FakeTasks {
  readonly parts: FakeParts;
  readonly received: Received[] = [];
  readonly #caller: string;
  readonly #signers: Signers;
  readonly #stories = new Map<string, Story>();
  /** As they were signed. */
  readonly #events = new Map<string, StoryEvent[]>();
  readonly #streamed = new Set<string>();
  /** Tasks that somebody still takes for running. */
  readonly #running = new Set<string>();

  constructor(parts: FakeParts, caller: string, signers: Signers) {
    this.parts = parts;
    this.#caller = caller;
    this.#signers = signers;
  }

  /** The same request again tells its story anew, under the same id. */
  create(request: DelegationRequest): Story {
    const { sign, strangerSigns } = this.#signers;
    const told = tell(request, this.#caller, sign, this.parts.unsigned);
    const story = this.parts.story(told, { resign: sign, strangerSigns });
    const id = `task-${request.request_id}`;
    this.#stories.set(id, story);
    this.#events.set(id, told.events);
    return story;
  }

  find(id: string): Story | undefined {
    return this.#stories.get(id);
  }

  /** What the first observer gets live; `undefined` for everybody after it, and where the case wants nothing live. */
  live(id: string): StoryEvent[] | undefined {
    const story = this.#stories.get(id);
    if (this.parts.live === undefined || story === undefined || this.#streamed.has(id)) return undefined;
    this.#streamed.add(id);
    const events = this.parts.live(this.#events.get(id) ?? [], story);
    if (events.length > 0) this.#running.add(id);
    return events;
  }

  /**
   * Beside a Task. Of one whose events are being sent live the log has but the first event, once: whatever else its
   * observer takes it then has from the stream.
   */
  pageBeside(story: Story, after: number): StoryPage {
    if (after > 0 || !this.#running.delete(story.task.id)) return this.page(story, after);
    const page = pageOf(story, 0);
    return { ...page, events: page.events.slice(0, 1), next: 'c1' };
  }

  page(story: Story, after: number): StoryPage {
    return this.parts.page(pageOf(story, after), after, story);
  }
}

/** The sequence behind which a cursor of a story stands. */
export function sequenceOf(cursor: string): number {
  return cursor === '0' ? 0 : Number(cursor.slice(1));
}
