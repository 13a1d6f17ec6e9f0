/** A log with one event dropped, altered, swapped or injected: numbered as an honest one, so that only the chain can tell. */
import type { StoryEvent } from '../../src/harness/subjects/fake-story.js';
import type { EventBody } from '../../src/profile/model.js';

export type Bend = (events: readonly StoryEvent[]) => StoryEvent[];

const renumbered = (events: readonly StoryEvent[]): StoryEvent[] =>
  events.map(({ body }, index) => ({ sequence: index + 1, cursor: `c${index + 1}`, body }));

const drop =
  (at: number): Bend =>
  (events) =>
    renumbered(events.filter(({ sequence }) => sequence !== at));

const swap =
  (at: number): Bend =>
  (events) => {
    const all = [...events];
    [all[at - 1], all[at]] = [all[at] as StoryEvent, all[at - 1] as StoryEvent];
    return renumbered(all);
  };

/** A second copy of event 2, which says nothing that could not be said again. */
const inject =
  (after: number): Bend =>
  (events) =>
    renumbered([...events.slice(0, after), events[1] as StoryEvent, ...events.slice(after)]);

export const alter =
  (at: number): Bend =>
  (events) =>
    events.map((event) => (event.sequence === at ? { ...event, body: altered(event.body) } : event));

/** One visible change: of a text, or where there is none, of the time. */
function altered(body: EventBody): EventBody {
  if ('artifactUpdate' in body) {
    const { artifact } = body.artifactUpdate;
    return {
      artifactUpdate: { ...body.artifactUpdate, artifact: { ...artifact, parts: [{ text: 'bent' }] } },
    };
  }
  const { status } = body.statusUpdate;
  const bent =
    status.message === undefined
      ? { ...status, timestamp: '2001-01-01T00:00:00.000Z' }
      : { ...status, message: { ...status.message, parts: [{ text: 'bent' }] } };
  return { statusUpdate: { ...body.statusUpdate, status: bent } };
}

/** By the place of the event in the five of the story: submitted, working, two pieces of the answer, completed. */
export const BENDS: Record<string, Bend> = {
  'terminal-dropped': drop(5),
  'first-altered': alter(1),
  'status-altered': alter(2),
  'artifact-altered': alter(3),
  'last-piece-altered': alter(4),
  'terminal-altered': alter(5),
  'first-dropped': drop(1),
  'artifact-dropped': drop(3),
  'last-piece-dropped': drop(4),
  'first-two-swapped': swap(1),
  'pieces-swapped': swap(3),
  'first-injected': inject(0),
  'status-injected': inject(2),
  'last-injected': inject(5),
};

/** Those of a stream that is read to its end: each kind, and each place that is treated in its own way. */
export const LIVE = [
  'status-altered',
  'artifact-altered',
  'terminal-altered',
  'artifact-dropped',
  'pieces-swapped',
  'status-injected',
] as const;
