/** Coordinators that follow a task each over a link of their own, and whose agents say one thing whenever they are let. */
import { until } from '../../src/harness/lab/deadline.js';
import type { Link } from '../../src/harness/lab/ports.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import type { Job, JobRun } from '../../src/harness/subjects/coordinator-subject.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Json } from '../../src/harness/wire/probe.js';

/** SUBMITTED, WORKING, and what is said before the first hold point. */
const BEFORE = 3;
const SEEN_MS = 20_000;

export interface Follower {
  script: string;
  taskId: string;
  link: Link;
  run: JobRun;
}

/** Resolves when each has printed what its agent said before the first of `rounds` hold points. */
export async function followers(
  lab: CaseLab,
  executor: ExecutorSubject,
  count: number,
  rounds: number,
  { reconnect, latencyMs }: { reconnect: NonNullable<Job['reconnect']>; latencyMs: number },
): Promise<Follower[]> {
  const lines = Array.from({ length: rounds }, (_, round) => [`hold r${round}`, `say in round ${round}`]);
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const part = `f${index + 1}`;
      const link = await lab.link(executor, part);
      const proxy = await link.proxy();
      for (const direction of ['upstream', 'downstream'] as const)
        await proxy.addToxic({ type: 'latency', direction, attributes: { latency: latencyMs } });
      const request = lab.script(executor, part, ['say before', ...lines.flat(), `hold r${rounds}`]);
      const job = lab.job(executor, executor.gate.keyFile, request, link.address);
      const run = lab.coordinator().run('delegate', { ...job, reconnect });
      const { task_id } = await run.line('accepted');
      const one = { script: lab.scriptId(part), taskId: String(task_id), link, run };
      await eventSeen(one, BEFORE);
      return one;
    }),
  );
}

/** Lets every agent say what it says in this round; resolves when each waits at the next hold point. */
export async function said(
  executor: ExecutorSubject,
  all: readonly Follower[],
  round: number,
): Promise<void> {
  await Promise.all(
    all.map(async ({ script }) => {
      await executor.holds.release(script, `r${round}`);
      await executor.holds.waiting(script, `r${round + 1}`);
    }),
  );
}

/** When the coordinator printed what was said in this round. */
export async function seen(one: Follower, round: number): Promise<number> {
  return eventSeen(one, BEFORE + round + 1);
}

async function eventSeen({ run, script }: Follower, sequence: number): Promise<number> {
  const index = await until(
    () => {
      const found = run.lines.findIndex((line) => line.type === 'event' && line.sequence === sequence);
      return found === -1 ? undefined : { found };
    },
    { ms: SEEN_MS, what: `event ${sequence} of ${script} at its coordinator`, everyMs: 5 },
  );
  return run.times[index.found] ?? Number.NaN;
}

/** Every event once, from the first to the signed last one, and the outcome. */
export function whole({ lines }: JobRun, result: Json | undefined): string[] {
  const sequences = lines.flatMap(({ type, sequence }) => (type === 'event' ? [Number(sequence)] : []));
  const { event_log } = (result?.envelope ?? {}) as { event_log?: { last_sequence: number } };
  const wrong = sequences.findIndex((sequence, index) => sequence !== index + 1);
  return [
    ...(wrong === -1 ? [] : [`event ${sequences[wrong]} stands where ${wrong + 1} should`]),
    ...(sequences.length === event_log?.last_sequence
      ? []
      : [`${sequences.length} events were printed, and the log has ${String(event_log?.last_sequence)}`]),
    ...(result?.outcome === 'completed' && result.verified === true && result.observation === 'complete'
      ? []
      : [
          `the outcome is ${String(result?.outcome)}, ${String(result?.observation)}, ${String(result?.reason)}`,
        ]),
  ];
}
