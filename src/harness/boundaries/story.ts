/** The stories of an executor: one delegated task each, from its create on. */
import type { CaseLab } from '../run/case-lab.js';
import { taskOf } from '../run/observe.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import type { CallOptions, Probe } from '../wire/probe.js';
import type { WireRequest } from '../wire/request.js';
import type { Boundaries } from './boundaries.js';
import type { Told } from './stops.js';
import type { Walk, Walked } from './walk.js';

export interface Story extends Walk<Scene> {
  /** Which executor it needs (executor-stories.ts). */
  on: string;
  script: readonly string[];
  request?: Record<string, unknown>;
  options?: CallOptions;
}

/** One run of a story: one request, and what has become of it so far. */
export interface Scene extends Walked {
  readonly story: Story;
  readonly executor: ExecutorSubject;
  readonly probe: Probe;
  readonly request: WireRequest;
  /** By this name the scripted agent keeps its ledger and hold points. */
  readonly script: string;
  /** As it was acknowledged, if it was. */
  taskId: string | undefined;
}

/** `part` tells the runs of one case apart. */
export function openScene(
  lab: CaseLab,
  { executor, boundaries }: { executor: ExecutorSubject; boundaries: Boundaries },
  story: Story,
  part: string,
): Scene {
  return {
    story,
    executor,
    boundaries,
    probe: executor.probe(),
    request: lab.script(executor, part, story.script, story.request),
    script: lab.scriptId(part),
    from: boundaries.account().length,
    phaseFrom: 0,
    taskId: undefined,
    over: false,
    kill: () => executor.kill(),
  };
}

/** The create; it may never be answered. */
export async function create(scene: Scene): Promise<void> {
  const { probe, request, story } = scene;
  scene.taskId = String(taskOf(await probe.create(request, story.options), 'the create').id);
}

/** Resolves once a write of this label is acknowledged (or one that a pattern matches), `enough` permitting. */
export function acknowledged(
  scene: Scene,
  label: RegExp,
  enough: (told: Told) => boolean = () => true,
): Promise<unknown> {
  return scene.boundaries.told(
    scene.from,
    (account) => {
      if (scene.over) throw new Error(`the process was killed before ${label}`);
      return account.some((told) => told.phase === 'after' && label.test(told.label) && enough(told));
    },
    `an acknowledged write of ${label}`,
  );
}

/** What carries a terminal event. */
export const ENDING = /outcome=|REJECTED/;

export async function releaseAll({ executor, script, story }: Scene): Promise<void> {
  for (const line of story.script)
    if (line.startsWith('hold ')) await executor.holds.release(script, line.slice('hold '.length));
}
