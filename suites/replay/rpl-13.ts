/** RPL-13: a cursor is a position of one task, whatever is done to its bytes. */
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, tail, taskOf } from '../../src/harness/run/observe.js';
import { AFTER } from '../../src/harness/run/story.js';
import type { Random } from '../../src/harness/seed.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { KEY } from '../../src/profile/names.js';

const ALPHABET = '0123456789ABCXYZabcxyz-_.~!';

/** Cursors that nobody ever issued. */
const INVENTED = ['x', '-1', '1e3', '00', 'c999999.AAAAAAAAAAAAAAAA'];

type Change = { invented: string } | { whole: 'twice' | 'upper case' } | { at: number; put: string };

/** One that is left out at every place, three others in its stead, and some that were never issued. */
function changesOf(length: number, random: Random): Change[] {
  const places = Array.from({ length }, (_, at) => at);
  return [
    ...INVENTED.map((invented) => ({ invented })),
    ...(['twice', 'upper case'] as const).map((whole) => ({ whole })),
    ...places.flatMap((at) =>
      ['', ...[1, 2, 3].map(() => random.pick([...ALPHABET]))].map((put) => ({ at, put })),
    ),
  ];
}

function changedBy(change: Change, cursor: string): string {
  if ('invented' in change) return change.invented;
  if ('at' in change) return cursor.slice(0, change.at) + change.put + cursor.slice(change.at + 1);
  return change.whole === 'twice' ? cursor + cursor : cursor.toUpperCase();
}

async function changed(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const make = async (part: string) => {
    const id = String(taskOf(await probe.create(lab.script(executor, part, [...AFTER])), 'the create').id);
    await ended(probe, id);
    return { id, log: await tail(probe, id, '0', part) };
  };
  const [mine, other] = [await make('m'), await make('o')];
  const cursor = mine.log[4]?.cursor ?? '';
  lab.expect(cursor !== '' && other.log.length > 0, 'there is no cursor to change');
  for (const { point } of lab.sweep('changed cursors', changesOf(cursor.length, lab.random()))) {
    const one = changedBy(point, cursor);
    // The same again is no change.
    if (one === cursor) continue;
    const what = `a cursor changed by ${JSON.stringify(point)}`;
    lab.attempt();
    const answer = await probe.get(mine.id, { cursor: one });
    if (answer.error !== undefined) {
      lab.expect(
        answer.error.code === -32602 && answer.error.reason === 'CURSOR_INVALID',
        `${what} is answered ${answer.text.slice(0, 200)}`,
      );
      continue;
    }
    const metadata = (answer.result?.metadata ?? {}) as Json;
    const { events } = (metadata[KEY.events] ?? { events: [] }) as { events: { event: Json }[] };
    const strange = events.some(
      ({ event }) => ((event.statusUpdate ?? event.artifactUpdate) as Json).taskId !== mine.id,
    );
    lab.expect(!strange, `${what} gives events of another task`);
  }
  const cursors = lab.sweep(
    'foreign cursors',
    other.log.map(({ sequence }) => sequence),
  );
  const foreign = await Promise.all(
    cursors.map(({ index }) => probe.get(mine.id, { cursor: other.log[index]?.cursor ?? '' })),
  );
  lab.attempt(foreign.length);
  const answers = new Set(foreign.map(({ text }) => text.replace(/"id":\d+/, '')));
  lab.expect(
    foreign.every(({ error }) => error?.reason === 'CURSOR_INVALID'),
    `a foreign cursor is answered ${foreign[0]?.text.slice(0, 200)}`,
  );
  lab.expect(
    answers.size === Math.min(1, foreign.length),
    `foreign cursors have ${answers.size} different answers`,
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-13',
  cases: () => [{ name: 'changed-bytes', estimateMs: 900, deadlineMs: 40_000, run: changed }],
};
