/** PRF-26: whatever happens to a task, its history goes SUBMITTED, WORKING, one terminal; REJECTED from SUBMITTED only. */
import { finished, ordered } from '../../src/harness/checkers/history.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, tail, taskOf } from '../../src/harness/run/observe.js';
import { AFTER } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json } from '../../src/harness/wire/probe.js';

/** Lives that a task may have. */
const LIVES: Record<string, { script: string[]; more?: Json; cap?: string[]; cancelAt?: string }> = {
  plain: { script: [...AFTER] },
  silent: { script: [] },
  refused: { script: ['say no', 'stop refusal'] },
  dies: { script: ['say a', 'die 1'] },
  cancelled: { script: ['say a', 'hold h'], cancelAt: 'h' },
  'cancelled-late': { script: ['say a', 'ignore-cancel', 'hold h', 'say b'], cancelAt: 'h' },
  expired: { script: ['say a', 'hold h'], more: { deadline_ms: 400 } },
  rejected: { script: [], more: { capabilities: ['net:fetch'] }, cap: ['net:fetch'] },
  'denied-tool': { script: ['ask edit file', 'ask read file', 'say done'] },
};

async function lives(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  for (const { point: name } of lab.sweep('lives', Object.keys(LIVES))) {
    const { script, more, cap, cancelAt } = LIVES[name] as (typeof LIVES)[string];
    lab.attempt();
    const created = await probe.create(
      lab.script(executor, name, script, more),
      cap === undefined ? {} : { cap },
    );
    const id = String(taskOf(created, `the create of ${name}`).id);
    if (cancelAt !== undefined) {
      await executor.holds.waiting(lab.scriptId(name), cancelAt);
      taskOf(await probe.cancel(id), `the cancel of ${name}`);
      await executor.holds.release(lab.scriptId(name), cancelAt);
    }
    const task = await ended(probe, id);
    const seen = await tail(probe, id, '0', name);
    lab.evidence(`${name}.json`, seen);
    lab.holds(ordered(seen), name);
    lab.holds(finished(seen, resultOf(task) ?? {}), name);
  }
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-26',
  cases: () => [{ name: 'lives', estimateMs: 2500, deadlineMs: 40_000, run: lives }],
};
