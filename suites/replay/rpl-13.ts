/** RPL-13: a cursor is a position of one task, whatever is done to its bytes. */
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, tail, taskOf } from '../../src/harness/run/observe.js';
import { AFTER } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { KEY } from '../../src/profile/names.js';

const ALPHABET = '0123456789ABCXYZabcxyz-_.~!';

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
  const random = lab.random();
  const bent = new Set<string>([
    '',
    'x',
    `${cursor}${cursor}`,
    cursor.toUpperCase(),
    `${cursor} `,
    '-1',
    '1e3',
    '00',
    'c999999.AAAAAAAAAAAAAAAA',
  ]);
  for (let at = 0; at < cursor.length; at += 1) {
    bent.add(cursor.slice(0, at) + cursor.slice(at + 1));
    for (let n = 0; n < 3; n += 1)
      bent.add(cursor.slice(0, at) + random.pick([...ALPHABET]) + cursor.slice(at + 1));
  }
  bent.delete(cursor);
  for (const one of bent) {
    if (one.trim() !== one || one === '') continue;
    lab.attempt();
    const answer = await probe.get(mine.id, { cursor: one });
    if (answer.error !== undefined) {
      lab.expect(
        answer.error.code === -32602 && answer.error.reason === 'CURSOR_INVALID',
        `${one} is answered ${answer.text.slice(0, 200)}`,
      );
      continue;
    }
    const metadata = (answer.result?.metadata ?? {}) as Json;
    const { events } = (metadata[KEY.events] ?? { events: [] }) as { events: { event: Json }[] };
    const strange = events.some(
      ({ event }) => ((event.statusUpdate ?? event.artifactUpdate) as Json).taskId !== mine.id,
    );
    lab.expect(!strange, `${one} gives events of another task`);
  }
  const foreign = await Promise.all(other.log.map((one) => probe.get(mine.id, { cursor: one.cursor })));
  lab.attempt(foreign.length);
  const answers = new Set(foreign.map(({ text }) => text.replace(/"id":\d+/, '')));
  lab.expect(
    foreign.every(({ error }) => error?.reason === 'CURSOR_INVALID'),
    `a foreign cursor is answered ${foreign[0]?.text.slice(0, 200)}`,
  );
  lab.expect(answers.size === 1, `foreign cursors have ${answers.size} different answers`);
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-13',
  cases: () => [{ name: 'changed-bytes', estimateMs: 900, deadlineMs: 40_000, run: changed }],
};
