/**
 * The sweeps of a case: lists of points (cuts, observers, mutants, rounds) that are tried one like the other. A case
 * names them, so that the harness can run it again with fewer of them and find the smallest schedule that still fails.
 */
import { Undetermined } from '../check.js';

/** One point that a case tries; `index` is its place in the whole sweep, whatever else is left out. */
export interface Chosen<T> {
  index: number;
  point: T;
}

/** What a sweep tried. */
export interface SweepTaken {
  name: string;
  /** How many points it has. */
  of: number;
  /** Those that were tried; `point` as JSON tells it. */
  points: Chosen<unknown>[];
}

/** Sweep name → indexes of the points to try; a sweep that is not named is tried whole. */
export type Selection = Readonly<Record<string, readonly number[]>>;

/** Indexes of the points of this sweep that are to be tried. */
export type Sample = (name: string, points: readonly unknown[]) => number[];

export class Sweeps {
  readonly taken: SweepTaken[] = [];
  readonly #selection: Selection;
  readonly #sample: Sample | undefined;

  /** `sample` draws the points of sweeps that no selection names; without it they are tried whole. */
  constructor(selection: Selection = {}, sample?: Sample) {
    this.#selection = selection;
    this.#sample = sample;
  }

  /** The points of this sweep that are to be tried. Throws Undetermined when the selection is of another sweep. */
  choose<T>(name: string, points: readonly T[]): Chosen<T>[] {
    if (this.taken.some((one) => one.name === name))
      throw new Error(`two sweeps of one case are named ${name}`);
    const all = points.map((point, index) => ({ index, point }));
    const wanted = Object.hasOwn(this.#selection, name)
      ? this.#selection[name]
      : this.#sample?.(name, points);
    const strange = wanted?.find((index) => index >= all.length);
    if (strange !== undefined)
      throw new Undetermined(
        `the sweep ${name} has ${all.length} points here, and point ${strange} was asked for`,
      );
    const chosen = wanted === undefined ? all : all.filter(({ index }) => wanted.includes(index));
    this.taken.push({ name, of: all.length, points: chosen });
    return chosen;
  }
}
