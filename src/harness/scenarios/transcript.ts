/** The whole exchange that a scenario implies, line by line, for the questions that PRF-22 asks on every binding. */
import { jcs } from '../../profile/canonical.js';
import type { Json } from '../wire/probe.js';
import type { Expected } from './expected.js';
import type { Scenario } from './scenario.js';

/** A2A has a create that waits for the end, and a list; OAB has a stream from a cursor in their place. */
export type Family = 'A2A' | 'OAB';

/** Where the Tasks stood that were answered while the agent was at work: any place that the log really had is right. */
export interface Places {
  created: number;
  cancelled: number;
}

export interface Line {
  what: string;
  /** In the plain form. */
  said: unknown;
}

export function expectedTranscript(
  { ending }: Scenario,
  expected: Expected,
  family: Family,
  { created, cancelled }: Places,
): Line[] {
  const { held, last } = expected;
  const ended = expected.taskAt(last);
  const from = (sequence: number) => eventsFrom(expected, sequence);
  const page = (cursor: number): Json => ({
    ...ended,
    beside: {
      ...(ended.beside as Json),
      events: {
        events: from(cursor).map((event, at) => {
          const sequence = cursor + at + 1;
          return { sequence, cursor: `<cursor ${sequence}>`, event };
        }),
        next: '',
        complete: true,
      },
    },
  });
  const stream = (...items: Json[]) => ({ items, end: 'fin', strange: [] });
  // Readers come while the agent waits, or after the end where none is prompted.
  const come = held === 0 ? last : held;
  const live = stream({ task: expected.taskAt(come) }, ...from(come));
  const line = (what: string, said: unknown): Line => ({ what, said });
  const only = (condition: boolean, ...lines: Line[]) => (condition ? lines : []);
  const a2a = family === 'A2A';
  return [
    line('the create', expected.taskAt(created)),
    ...only(
      held > 0,
      line('the Task while the agent waits', expected.taskAt(come)),
      line('a subscribe', live),
    ),
    line('the same create again, streaming', live),
    ...only(a2a, line('the same create again, blocking', ended)),
    ...only(ending.by === 'cancel', line('the cancel', expected.taskAt(cancelled))),
    line('the Task after the end', ended),
    line('its events from the beginning', page(0)),
    line('its events from the middle', page(middleOf(last))),
    ...only(!a2a, line('its events as a stream', stream(...from(0)))),
    ...only(a2a, line('the list', { tasks: [ended], nextPageToken: '', totalSize: 1 })),
    line('a cancel after the end', { code: -32002, reason: 'TASK_NOT_CANCELABLE' }),
    line(
      'a subscribe after the end',
      a2a ? { code: -32004, reason: 'UNSUPPORTED_OPERATION' } : stream({ task: ended }),
    ),
  ];
}

export function eventsFrom(expected: Expected, cursor: number): Json[] {
  return Array.from({ length: expected.last - cursor }, (_, at) => expected.event(cursor + at + 1));
}

export function middleOf(last: number): number {
  return Math.floor(last / 2);
}

/** As text, so that two of them can be compared and read. */
export function linesOf(transcript: readonly Line[]): { lines: string[] } {
  return { lines: transcript.map(({ what, said }) => `${what}: ${jcs(said)}`) };
}
