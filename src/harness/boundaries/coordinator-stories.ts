/** The stories that make a coordinator write everything that it ever writes into its store. */
import { Undetermined } from '../check.js';
import { until } from '../lab/deadline.js';
import type { CaseLab } from '../run/case-lab.js';
import type { CoordinatorSubject, Job, JobRun } from '../subjects/coordinator-subject.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import type { Boundaries } from './boundaries.js';
import type { Walk, Walked } from './walk.js';

export interface Delegating extends Walked {
  readonly executor: ExecutorSubject;
  readonly coordinator: CoordinatorSubject;
  readonly job: Job;
  /** By this name the scripted agent keeps its ledger and hold points. */
  readonly script: string;
  /** Every run of the command so far. */
  readonly runs: JobRun[];
}

export interface DelegatingStory extends Walk<Delegating> {
  script: readonly string[];
}

/** A delegation to this executor by a coordinator of its own, over the address that the job dials. */
export function openDelegating(
  lab: CaseLab,
  executor: ExecutorSubject,
  job: Job,
  part: string,
  { coordinator, boundaries }: { coordinator: CoordinatorSubject; boundaries: Boundaries },
): Delegating {
  const runs: JobRun[] = [];
  return {
    executor,
    coordinator,
    boundaries,
    job,
    script: lab.scriptId(part),
    runs,
    from: 0,
    phaseFrom: 0,
    over: false,
    kill: () => Promise.all(runs.map((run) => run.kill())),
  };
}

export async function releaseHolds({ executor, script }: Delegating, story: DelegatingStory): Promise<void> {
  for (const line of story.script)
    if (line.startsWith('hold ')) await executor.holds.release(script, line.slice('hold '.length));
}

/** The event of this sequence is printed, and the place behind it stored. */
const stored = (sequence: number) => (scene: Delegating) =>
  scene.boundaries.told(
    scene.from,
    (account) => {
      if (scene.over) throw new Undetermined(`killed before event ${sequence} was stored`);
      return account.some((told) => told.phase === 'after' && Number(told.sequence) >= sequence);
    },
    `event ${sequence} in the coordinator's store`,
  );
const run =
  (action: 'delegate' | 'cancel') =>
  async ({ coordinator, job, runs }: Delegating) =>
    void runs.push(coordinator.run(action, job));
const finished = ({ runs }: Delegating) => Promise.all(runs.map(({ exit }) => exit));

export const FOLLOWED: DelegatingStory = {
  name: 'followed',
  script: ['say a', 'hold go', 'say b'],
  phases: [
    // Where the first three events come from, pages or stream, is open: each kind of write counts once.
    { act: run('delegate'), settled: stored(3) },
    { act: ({ executor, script }) => executor.holds.release(script, 'go'), settled: finished },
  ],
};

export const CANCELLED: DelegatingStory = {
  name: 'cancelled',
  script: ['say a', 'hold never'],
  phases: [
    {
      act: run('delegate'),
      async settled(scene) {
        await stored(3)(scene);
        await scene.kill();
      },
    },
    { act: run('cancel'), settled: finished },
  ],
};

/** Resolves when the agent has done what its script says, whoever still looks. */
export async function agentEnded({ executor, script }: Delegating): Promise<void> {
  const over = (kind: unknown) => kind === 'end';
  await until(async () => (await executor.holds.ledger(script)).some(({ kind }) => over(kind)), {
    ms: 15_000,
    what: `the agent of ${script} to end`,
    everyMs: 20,
  });
}
