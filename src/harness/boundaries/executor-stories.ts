/**
 * The stories that make an executor write everything that it ever writes. The first one is walked at every place of
 * its own, the others at each kind of write that no earlier one has; a test compares all of them with the port.
 */
import { KEY } from '../../profile/names.js';
import { until } from '../lab/deadline.js';
import type { ExecutorSettings } from '../subjects/executor-subject.js';
import { acknowledged, create, ENDING, type Scene, type Story } from './story.js';
import type { Phase } from './walk.js';

/** The executors that the stories need. */
export const EXECUTORS: Record<string, Partial<ExecutorSettings>> = {
  usual: { stopGraceMs: 200 },
  /** Its agent never answers: nothing is ever dispatched. */
  mute: { stopGraceMs: 200, agentArguments: ['--never-answer'] },
  /** It trims what has just ended. */
  forgetful: { retentionMs: 200 },
};

/** As deaf to the end of its client as an agent can be, and writing as long as it lives: whoever ends it is seen. */
const TENACIOUS = ['deaf', 'beat'] as const;

/** The agent waits at this hold point and the log has come so far: nothing moves until it is released. */
const holding = (name: string, sequence: number) => async (scene: Scene) => {
  await scene.executor.holds.waiting(scene.script, name);
  await acknowledged(scene, /^append/, (told) => Number(told.sequence) >= sequence);
};
const ended = (scene: Scene) => acknowledged(scene, ENDING);
const goOn = (name: string, settled: Phase<Scene>['settled']): Phase<Scene> => ({
  act: ({ executor, script }) => executor.holds.release(script, name),
  settled,
});
const cancel: Phase<Scene> = { act: ({ probe, taskId = '' }) => probe.cancel(taskId), settled: ended };

const whole: Story = {
  name: 'whole',
  on: 'usual',
  script: [
    ...TENACIOUS,
    ...[
      'say a',
      'hold plan',
      'plan one',
      'hold more',
      'say b',
      'image',
      'hold denied',
      'ask execute rm',
      'hold end',
    ],
  ],
  phases: [
    { act: create, settled: holding('plan', 3) },
    goOn('plan', holding('more', 4)),
    goOn('more', holding('denied', 6)),
    goOn('denied', holding('end', 8)),
    goOn('end', ended),
  ],
};

const held = ['say a', 'hold never'] as const;
const toHold: Phase<Scene> = { act: create, settled: holding('never', 3) };

export const EXECUTOR_STORIES: readonly Story[] = [
  whole,
  {
    name: 'recovered',
    on: 'usual',
    script: [...TENACIOUS, ...held],
    phases: [
      toHold,
      {
        async act({ executor }) {
          await executor.kill();
          await executor.start();
        },
        settled: (scene) => acknowledged(scene, /^audit start/),
      },
    ],
  },
  { name: 'cancelled', on: 'usual', script: [...TENACIOUS, ...held], phases: [toHold, cancel] },
  {
    name: 'expired',
    on: 'usual',
    script: [...TENACIOUS, ...held],
    // Long enough for an agent to be prompted on a busy host.
    request: { deadline_ms: 700 },
    phases: [{ act: create, settled: ended }],
  },
  {
    name: 'too much output',
    on: 'usual',
    script: [...TENACIOUS, 'say a', 'hold much', 'chunks 40 of 100'],
    request: { budget: { max_output_bytes: 1000 } },
    phases: [{ act: create, settled: holding('much', 3) }, goOn('much', ended)],
  },
  {
    name: 'rejected',
    on: 'usual',
    script: ['say a'],
    request: { capabilities: ['net:fetch'] },
    options: { cap: ['net:fetch'] },
    phases: [{ act: create, settled: ended }],
  },
  {
    name: 'asked again',
    on: 'usual',
    script: ['say a'],
    phases: [
      { act: create, settled: ended },
      {
        act: ({ probe, request }) => probe.create(request),
        settled: (scene) => acknowledged(scene, /^audit duplicate/),
      },
      {
        act: ({ probe, request }) => probe.create({ ...request, deadline_ms: 1 }),
        settled: (scene) => acknowledged(scene, /^audit refused/),
      },
    ],
  },
  {
    name: 'stopped',
    on: 'usual',
    script: ['say a'],
    phases: [
      { act: create, settled: ended },
      { act: ({ executor }) => executor.stop(), settled: ({ executor }) => executor.start() },
    ],
  },
  {
    name: 'never dispatched',
    on: 'mute',
    script: ['say a'],
    phases: [{ act: create, settled: (scene) => acknowledged(scene, /process/) }, cancel],
  },
  {
    name: 'trimmed',
    on: 'forgetful',
    script: ['say a'],
    phases: [
      {
        act: create,
        settled: async (scene) => {
          await ended(scene);
          await past(scene, Number(EXECUTORS.forgetful?.retentionMs));
        },
        beside: /^trim/,
      },
      {
        // The executor's own clock decides when.
        act: async () => {},
        settled: ({ boundaries, phaseFrom }) =>
          boundaries.told(
            phaseFrom,
            (account) => account.some(({ phase, label }) => phase === 'after' && label === 'trim'),
            'a round of trimming',
          ),
      },
      {
        act: async ({ boundaries }) => process.kill(Number(boundaries.account().at(-1)?.pid), 'SIGHUP'),
        settled: (scene) => acknowledged(scene, /^audit key/),
      },
    ],
  },
];

/** Resolves when the task has been over for this long, by its own terminal event. */
async function past({ probe, taskId = '' }: Scene, ms: number): Promise<void> {
  const { result } = await probe.get(taskId);
  const envelope = (result?.metadata as Record<string, unknown> | undefined)?.[KEY.result];
  const over = Date.parse(String((envelope as { signed_at?: string } | undefined)?.signed_at)) + ms;
  await until(() => Date.now() > over, { ms: ms + 5000, what: 'the retention to pass', everyMs: 10 });
}
