/** From what the agent does to event drafts, within the task's budgets ("From ACP to A2A events"). */
import type { EventDraft } from '../journal/journal.js';
import { outputBytes } from '../profile/artifacts.js';
import { MAX_ARTIFACTS } from '../profile/envelope.js';
import type { Artifact, ArtifactUpdate, Part } from '../profile/model.js';
import type { StopCause } from '../profile/outcome.js';
import type { AgentEvent } from './agent/runner.js';
import { artifactDraft, type Names, statusDraft } from './drafts.js';
import { splitText, wellFormedHead } from './split-text.js';

/** The one artifact that the agent's text goes into. */
const ANSWER = 'answer';
/** What an event is more than its text: names, ids, the extension's metadata. */
const FRAME_BYTES = 2048;
const MAX_STATUS_BYTES = 1024;
/** Always kept free for a cancel, the last chunk and the terminal event. */
const RESERVED_EVENTS = 3;

/** A part is required; an empty text adds nothing to what was said. */
const CLOSING: readonly Part[] = [{ text: '' }];
/** It stands in the Task like any other part, so it is paid for when the answer begins. */
const CLOSING_BYTES = outputBytes(CLOSING);

export interface Budget {
  outputBytes: number;
  eventBytes: number;
  events: number;
}

/** Ends the artifact that is still open, so that a reader knows that no more of it comes. */
export function closingOf(
  names: Names,
  artifacts: ReadonlyMap<string, Artifact>,
): { draft: EventDraft; update: ArtifactUpdate }[] {
  if (!artifacts.has(ANSWER)) return [];
  const artifact = { artifactId: ANSWER, parts: [...CLOSING] };
  const flags = { append: true, lastChunk: true };
  const { taskId, contextId } = names;
  return [
    {
      draft: artifactDraft(names, 'TASK_STATE_WORKING', artifact, flags),
      update: { taskId, contextId, artifact, ...flags },
    },
  ];
}

export class Translation {
  /** The ids of the artifacts begun so far. */
  readonly #begun = new Set<string>();
  readonly #names: Names;
  readonly #budget: Budget;
  readonly #mint: () => string;
  #bytes = 0;
  #events: number;

  /** `events` is how many the log holds already. */
  constructor(names: Names, budget: Budget, events: number, mint: () => string) {
    this.#names = names;
    this.#budget = budget;
    this.#events = events;
    this.#mint = mint;
  }

  /** The drafts of one agent event, and why the turn must stop when a budget is used up by it. */
  translate(event: AgentEvent, at: number): { drafts: EventDraft[]; stop?: StopCause } {
    const drafts: EventDraft[] = [];
    for (const draft of this.#draft(event, at)) {
      if (typeof draft === 'string') return { drafts, stop: draft };
      if (this.#events + 1 > this.#budget.events - RESERVED_EVENTS) return { drafts, stop: 'events' };
      this.#events += 1;
      drafts.push(draft);
    }
    return { drafts };
  }

  *#draft(event: AgentEvent, at: number): Generator<EventDraft | StopCause> {
    switch (event.type) {
      case 'text':
        for (const piece of splitText(event.text, this.#budget.eventBytes - FRAME_BYTES)) {
          const open = this.#begun.has(ANSWER);
          if (!this.#afford([{ text: piece }], open ? 0 : CLOSING_BYTES)) yield 'output';
          const artifact = {
            artifactId: ANSWER,
            parts: [{ text: piece }],
            ...(open ? {} : { name: ANSWER }),
          };
          yield this.#artifact(artifact, { append: open });
        }
        return;
      case 'artifact': {
        if (this.#begun.size >= MAX_ARTIFACTS) yield 'artifacts';
        const size = outputBytes(event.parts);
        if (size > this.#budget.eventBytes - FRAME_BYTES || !this.#afford(event.parts)) yield 'output';
        const artifactId = `artifact-${this.#begun.size + 1}`;
        const name = event.name === undefined ? {} : { name: wellFormedHead(event.name, 256) };
        yield this.#artifact({ artifactId, ...name, parts: event.parts }, { lastChunk: true });
        return;
      }
      case 'status':
        yield this.#status(event.text, at);
        return;
      case 'permission':
        if (!event.allowed) yield this.#status(`denied: ${event.kind} ${event.title}`, at);
    }
  }

  #status(text: string, at: number): EventDraft {
    return statusDraft(this.#names, 'TASK_STATE_WORKING', at, {
      id: this.#mint(),
      text: wellFormedHead(text, MAX_STATUS_BYTES),
    });
  }

  #artifact(
    artifact: { artifactId: string; name?: string; parts: Part[] },
    flags: { append?: boolean; lastChunk?: boolean },
  ) {
    this.#begun.add(artifact.artifactId);
    return artifactDraft(this.#names, 'TASK_STATE_WORKING', artifact, flags);
  }

  #afford(parts: readonly Part[], reserve = 0): boolean {
    const bytes = outputBytes(parts) + reserve;
    if (this.#bytes + bytes > this.#budget.outputBytes) return false;
    this.#bytes += bytes;
    return true;
  }
}
