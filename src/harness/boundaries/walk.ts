/** Walks through a story undisturbed, to learn where it writes, and again, to be killed at one of those places. */
import { Undetermined, Violation } from '../check.js';
import { within } from '../lab/deadline.js';
import type { Boundaries, Boundary } from './boundaries.js';
import type { Told } from './stops.js';

/** What a peer is put through, in phases whose writes follow each other in one order only. */
export interface Walk<S> {
  name: string;
  phases: readonly Phase<S>[];
}

export interface Phase<S> {
  act(scene: S): Promise<unknown>;
  /** Resolves when every write of the phase is acknowledged; the next phase begins from there. */
  settled(scene: S): Promise<unknown>;
  /** Writes of the peer's own clock that fall into this phase by chance, and have a phase of their own. */
  beside?: RegExp;
}

/** One walk through it. */
export interface Walked {
  readonly boundaries: Boundaries;
  /** Where its writes begin in the account, and those of its phase. */
  readonly from: number;
  phaseFrom: number;
  /** Its process is being killed: nothing is waited for any more. */
  over: boolean;
  kill(): Promise<unknown>;
}

/** A write of a story: the `nth` of its label in this phase. */
export interface Place {
  phase: number;
  label: string;
  nth: number;
}

const REACHED_MS = 20_000;
const TRIES = 3;

/** Every write of the story, phase by phase, as the peer itself tells them. */
export async function record<S extends Walked>(scene: S, { phases }: Walk<S>): Promise<Place[]> {
  const places: Place[] = [];
  for (const [phase, { act, settled, beside }] of phases.entries()) {
    scene.phaseFrom = scene.boundaries.account().length;
    await act(scene);
    await settled(scene);
    const counts = new Map<string, number>();
    for (const { phase: when, label } of scene.boundaries.account().slice(scene.phaseFrom)) {
      if (when !== 'before' || beside?.test(label) === true) continue;
      const nth = (counts.get(label) ?? 0) + 1;
      counts.set(label, nth);
      places.push({ phase, label, nth });
    }
  }
  return places;
}

/**
 * The story until the peer stands still at the boundary, and SIGKILL there. Resolves with what it had told of its
 * writes since the story began; undefined when it never came there, and then it is killed all the same.
 */
export async function killedAt<S extends Walked>(
  scene: S,
  { name, phases }: Walk<S>,
  { phase, label, nth }: Place,
  when: Boundary['when'],
): Promise<readonly Told[] | undefined> {
  const { boundaries, from } = scene;
  for (const { act, settled } of phases.slice(0, phase)) {
    scene.phaseFrom = boundaries.account().length;
    await act(scene);
    await settled(scene);
  }
  scene.phaseFrom = boundaries.account().length;
  const armed = boundaries.arm({ label, nth, when });
  const last = phases[phase];
  const acted = last?.act(scene);
  const passed = (async () => {
    await acted;
    if (!scene.over) await last?.settled(scene);
  })().catch((error: Error) => {
    // What the kill itself ends is no news.
    if (error instanceof Violation && !scene.over) throw error;
    return new Promise<void>(() => {});
  });
  const where = `${name}: ${when} ${label}`;
  // By the time that the phase is over its last write may have been the one.
  const pid = await within(Promise.race([armed.stopped, passed]), REACHED_MS, where).then(
    armed.at,
    (error: Error) => {
      if (error instanceof Violation) throw error;
      return armed.at();
    },
  );
  const account = boundaries.account().slice(from);
  scene.over = true;
  await scene.kill();
  // One that had not said yet that it is ready is not known to be running.
  if (pid !== undefined) endIfRunning(pid);
  await acted?.catch(() => {});
  armed.disarm();
  return pid === undefined ? undefined : account;
}

/** On a busy host two writes may become one: then the place is sought once more, in a walk of its own. */
export async function sought<T>(where: string, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await attempt();
    if (found !== undefined) return found;
  }
  throw new Undetermined(`the process never stood at a boundary that it has: ${where}`);
}

function endIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

export type Stage = 'none' | 'admitted' | 'cancelled' | 'expired' | 'dispatched' | 'ended';

/**
 * Where the task stood at the kill, as far as its acknowledged writes say; a write that was under way and not the one
 * that was stopped before its commit may count or not.
 */
export function stagesOf(account: readonly Told[], when: Boundary['when']): Set<Stage> {
  const done = account.filter(({ phase }) => phase === 'after').map(({ label }) => label);
  const open = account.filter(({ phase }) => phase === 'before').map(({ label }) => label);
  for (const label of done) open.splice(open.indexOf(label), 1);
  const stopped = account.find(({ phase }) => phase === 'stopped')?.label;
  if (when === 'before' && stopped !== undefined) open.splice(open.indexOf(stopped), 1);
  return new Set([stageOf(done), stageOf([...done, ...open])]);
}

function stageOf(labels: readonly string[]): Stage {
  const has = (pattern: RegExp) => labels.some((label) => pattern.test(label));
  if (has(/outcome=|REJECTED/)) return 'ended';
  if (has(/dispatchedAt/)) return 'dispatched';
  if (has(/cancelRequestedAt/)) return 'cancelled';
  if (has(/stopCause=deadline/)) return 'expired';
  return has(/^admit/) ? 'admitted' : 'none';
}
