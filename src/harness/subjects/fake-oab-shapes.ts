/** A story as docs/bindings/oab.md has it: its Task, and the items of a stream. */
import type { Task } from '../../profile/model.js';
import { KEY } from '../../profile/names.js';
import type { Json } from '../wire/probe.js';
import { FAKE_PEER, headOf, type Story, type StoryPage, submitted } from './fake-story.js';

/** The Task as the story tells it, or as it was right after admission. */
export function oabTask(story: Story, told: Task = story.task): Json {
  const { [KEY.event]: at, [KEY.result]: result } = told.metadata ?? {};
  const { turn_id, sequence, cursor, head } = at as Json & { sequence: number };
  return {
    task_id: told.id,
    context_id: told.contextId,
    turn_id,
    status: told.status,
    artifacts: (told.artifacts ?? []).map(({ metadata, ...artifact }) => ({
      ...artifact,
      ...(metadata?.[KEY.owner] === undefined ? {} : { owner: metadata[KEY.owner] }),
    })),
    sequence,
    cursor,
    head: head ?? headOf(story, sequence),
    ...story.granted,
    ...(result === undefined ? {} : { result }),
  };
}

export function admitted(story: Story): Json {
  return oabTask(story, submitted(story));
}

/** What a stream from behind `after` sends: the gap where there is one, and the events. */
export function oabItems({ events, floor }: StoryPage, after: number, { granted }: Story): Json[] {
  const gap = floor !== undefined && floor.sequence > after ? [{ floor }] : [];
  return [...gap, ...events.map((event) => itemOf(event, granted))];
}

/** `event` as it stands in a page: its place and the result ride inside it there, and beside it here. */
function itemOf({ sequence, cursor, event }: StoryPage['events'][number], granted: Story['granted']): Json {
  const [kind, inner] = Object.entries(event)[0] as [string, Json];
  const { metadata, ...body } = inner;
  const { [KEY.event]: at, [KEY.result]: result } = metadata as Json;
  const { turn_id } = at as { turn_id: string };
  return {
    turn_id,
    sequence,
    cursor,
    event: { [kind]: body },
    ...(kind === 'artifactUpdate' ? { owner: FAKE_PEER } : {}),
    ...(sequence === 1 ? granted : {}),
    ...(result === undefined ? {} : { result }),
  };
}
