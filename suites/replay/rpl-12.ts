/** RPL-12: below the retention floor there is an explicit gap, and what is signed can still be verified. */
import { until } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, tail, taskOf } from '../../src/harness/run/observe.js';
import { AFTER } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { verifyResult } from '../../src/harness/wire/verify-result.js';
import { headAfter } from '../../src/profile/chain.js';
import type { Digest } from '../../src/profile/model.js';
import { KEY } from '../../src/profile/names.js';

interface Page {
  events: { sequence: number; event: Json }[];
  next: string;
  complete: boolean;
  floor?: { sequence: number; head: Digest };
}

async function trimmed(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh({ retentionMs: 300 });
  lab.needs(executor, 'settings');
  const probe = executor.probe();
  const id = String(taskOf(await probe.create(lab.script(executor, 't', [...AFTER])), 'the create').id);
  await ended(probe, id);
  const all = await tail(probe, id, '0', 'before');
  const page = async (cursor: string) => {
    const task = taskOf(await probe.get(id, { cursor }), 'GetTask with a cursor');
    return { task, page: (task.metadata as Json)[KEY.events] as Page };
  };
  // The published retention has passed: the executor's own clock decides when it trims.
  await until(async () => (await page('0')).page.events[0]?.sequence !== 1, {
    ms: 15_000,
    what: 'the log to be trimmed',
    everyMs: 50,
  });

  const last = all.length;
  const cursors = ['0', ...all.slice(0, -2).map(({ cursor }) => cursor)];
  const places = cursors.map((_, sequence) => sequence);
  for (const { point: sequence } of lab.sweep('cursors', places)) {
    const cursor = cursors[sequence] ?? '';
    lab.attempt();
    const { task, page: got } = await page(cursor);
    lab.expect(!got.complete, `a page from ${sequence} says that it is complete although events are gone`);
    lab.expect(
      got.floor !== undefined && got.floor.sequence >= sequence,
      `a page from ${sequence} names no floor: ${JSON.stringify(got.floor)}`,
    );
    const [terminal] = got.events;
    lab.expect(
      got.events.length === 1 && terminal?.sequence === last,
      `a page from ${sequence} holds ${got.events.map((one) => one.sequence).join(', ')}, not the terminal event ${last}`,
    );
    const envelope = resultOf(task) ?? {};
    lab.expect(await verifyResult(envelope, executor.resultKeys), 'the envelope does not verify any more');
    const head = headAfter(got.floor?.head as Digest, terminal?.event);
    lab.expect(
      head === (envelope.event_log as { head: string }).head,
      'the terminal event does not lead from the floor’s head to the signed one',
    );
  }
  const { page: end } = await page(String(all.at(-2)?.cursor));
  lab.expect(
    end.complete && end.events.length === 1,
    'from the floor on nothing is missing, and the page says otherwise',
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-12',
  cases: () => [{ name: 'trimmed', estimateMs: 2500, deadlineMs: 40_000, needs: ['settings'], run: trimmed }],
};
