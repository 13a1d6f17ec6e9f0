/** RPL-14 from the executor's side: a reader that takes nothing any more is let go, and may come back with its cursor. */
import { readFileSync } from 'node:fs';
import { Undetermined } from '../../src/harness/check.js';
import { ordered } from '../../src/harness/checkers/history.js';
import { until } from '../../src/harness/lab/deadline.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { isTerminalFrame, lastOf, resume, seenOf } from '../../src/harness/run/observe.js';
import { heldTask, place, release } from '../../src/harness/run/story.js';

/** Twice what a dead link may take to be noticed, and more: counted in the heartbeats of a reader that is well. */
const BEATS = 6;
/** Of one small event, at the least, on the wire. */
const EVENT_BYTES = 400;
/** Silence falls here: in the leading Task. */
const FIRST_BYTES = 2000;

/** How much of a stream the kernel may keep for a reader that takes nothing: no executor sees less than this as stuck. */
function keptByTheKernel(): number {
  const most = (name: string) => {
    const [, usual = 0, limit = 0] = readFileSync(`/proc/sys/net/ipv4/${name}`, 'utf8')
      .trim()
      .split(/\s+/)
      .map(Number);
    return { usual, limit };
  };
  try {
    return most('tcp_wmem').limit + 2 * most('tcp_rmem').usual;
  } catch {
    throw new Undetermined('this host does not tell how much its kernel keeps of a stream');
  }
}

export async function deadReader(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const events = Math.ceil(keptByTheKernel() / EVENT_BYTES);
  const started = await heldTask(lab, executor, probe, 'd', [`chunks ${events} of 8`, 'hold end', 'say end']);
  const from = await place(probe, started.taskId);
  const link = await lab.link(executor, 'd');
  const cut = link.tap.arm({ kind: 'silence-one-way', direction: 'downstream', at: { byte: FIRST_BYTES } });
  const dead = probe.subscribe(started.taskId, { via: link.address });
  const well = probe.subscribe(started.taskId);
  await lab.took(cut, 'a silence in the leading Task');
  await well.until((frames) => frames.length > 0);
  await release(executor, started);
  await executor.holds.waiting(started.script, 'end', 30_000);
  await well.until((frames) => (frames.at(-1)?.sequence ?? 0) >= from.sequence + events, 30_000);
  const beats = well.heartbeats();
  await until(() => (well.heartbeats() >= beats + BEATS ? true : undefined), {
    ms: 20_000,
    what: `${BEATS} heartbeats of an idle stream`,
    everyMs: 10,
  });
  await executor.holds.release(started.script, 'end');
  await well.until((frames) => frames.some(isTerminalFrame));
  // What was under way when it was let go still comes, and then an end that is no end of the task.
  cut.clear();
  await dead.ended;
  const late = seenOf(dead, 'dead');
  lab.evidence('dead.json', { frames: dead.frames.length, last: late.at(-1)?.sequence, events });
  lab.expect(
    !dead.frames.some(isTerminalFrame),
    `a reader that took nothing for ${BEATS} heartbeats still had a stream, and got all of its ${dead.frames.length} frames`,
  );
  const resumed = await resume(probe, started.taskId, lastOf(late, from), 'resumed', { via: link.address });
  lab.holds(ordered([...late, ...resumed]), 'the union after the resume');
  lab.expect(
    resumed.at(-1)?.sequence === seenOf(well, 'well').at(-1)?.sequence,
    'the reader that came back did not get to the end of the log',
  );
}
