/** RPL-20: a subscribe that races completion never hangs and never loses the terminal event (OPEN-04). */
import { setTimeout as delay } from 'node:timers/promises';
import { Undetermined } from '../../src/harness/check.js';
import { gapless, oneTerminal } from '../../src/harness/checkers/history.js';
import { within } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, resume } from '../../src/harness/run/observe.js';
import { heldTask, place, release } from '../../src/harness/run/story.js';
import type { Suite } from '../../src/harness/suite.js';

/** In each cell; over both topologies 520 attempts for each binding. */
const TASKS = 13;
const SUBSCRIBERS = 20;
/** Of the time from the release of a hold point to the end, in ms: of the first round, and the most of any. */
const FIRST_SPAN_MS = 20;
const MOST_SPAN_MS = 200;
/** In these spans: the subscribers come between 0 and 2, the release is at 0.5, and so the end is about at 1.5. */
const RELEASED_AT = 0.5;
const SUBSCRIBED_UNTIL = 2;
const STEPS = 1000;

/** When a subscriber began, of the release of the last hold point and the signed end. */
type Came = 'before' | 'during' | 'after';

export function cameOf(began: number, released: number, signed: number): Came {
  if (began < released) return 'before';
  return began <= signed ? 'during' : 'after';
}

/** Without somebody before the end and somebody in the middle of it nothing was raced. */
export function raced({ before, during }: Readonly<Record<Came, number>>): string | undefined {
  if (before > 0 && during > 0) return undefined;
  return `no race: ${before} subscribers came before the end and ${during} during it`;
}

async function race(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  // The schedule is the seed's; the moment itself is what is being raced.
  const points = Array.from({ length: TASKS }, (_, round) => {
    const random = lab.random('', '', round);
    return Array.from({ length: SUBSCRIBERS }, (_one, n) => ({
      round,
      n,
      at: (random.int(0, STEPS) / STEPS) * SUBSCRIBED_UNTIL,
    }));
  });
  const chosen = lab.sweep('subscribers', points.flat()).map(({ point }) => point);
  let span = FIRST_SPAN_MS;
  const came: Record<Came, number> = { before: 0, during: 0, after: 0 };
  for (const round of new Set(chosen.map((point) => point.round))) {
    const started = await heldTask(lab, executor, probe, `r${round}`, ['say last']);
    const from = await place(probe, started.taskId);
    const began: number[] = [];
    const own = chosen.filter((point) => point.round === round);
    const subscribers = own.map(async ({ n, at }) => {
      await delay(at * span);
      began.push(Date.now());
      return within(
        resume(probe, started.taskId, from, `r${round}-${n}`),
        10_000,
        `subscriber ${n} of round ${round}`,
      );
    });
    let releasedAt = 0;
    const envelope = delay(RELEASED_AT * span).then(async () => {
      const released = performance.now();
      releasedAt = Date.now();
      await release(executor, started);
      const task = await ended(probe, started.taskId);
      // A machine that is slower today gets its subscribers as much later: they are to come before, during and after.
      span = Math.min(performance.now() - released, MOST_SPAN_MS);
      return resultOf(task) ?? {};
    });
    const [{ event_log, signed_at }, ...histories] = await Promise.all([envelope, ...subscribers]);
    for (const at of began) came[cameOf(at, releasedAt, Date.parse(String(signed_at)))] += 1;
    const last = (event_log as { last_sequence: number }).last_sequence;
    for (const seen of histories) {
      lab.attempt();
      const after = seen.map((one) => ({ ...one, sequence: one.sequence - from.sequence }));
      lab.holds(
        [...gapless(after, last - from.sequence), ...oneTerminal(seen)],
        `round ${round}, ${seen[0]?.session ?? 'a subscriber that saw nothing'}`,
      );
    }
  }
  lab.measure('subscribers', came);
  lab.evidence('subscribers.json', came);
  // Of a few points that were chosen nobody can say what they should be.
  const none = chosen.length === points.flat().length ? raced(came) : undefined;
  if (none !== undefined) throw new Undetermined(none);
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-20',
  cases: () => [{ name: 'race', estimateMs: 3500, deadlineMs: 90_000, run: race }],
};
