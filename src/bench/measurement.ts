/** What one measurement is to the runner: arms that are read in turn, and how their ratios are to be read. */

import type { Launch } from './side.js';

export interface Arm {
  label: string;
  /** One reading, in the measurement's unit; rejects when what was read is not what was asked for. */
  read(): Promise<number>;
  /** Of the servers that are read, where the same ones serve all readings of the arm. */
  usage?(): Promise<Spent>;
}

/** µs of CPU since the process began, before and after a collection of garbage, which is nobody's cost. */
export interface Spent {
  cpuBefore: number;
  cpuAfter: number;
}

/** An arm that could not be had. */
export interface Missing {
  label: string;
  why: string;
}

export interface Opened {
  /** The ratio of a round is the first arm's reading over the second's; over each further one it is shown beside. */
  arms: readonly [Arm, Arm, ...Arm[]];
  missing?: readonly Missing[];
  close(): Promise<void>;
}

export interface Aim {
  /** `ratio`, or the reading of the first arm. */
  of: 'ratio' | 'first';
  least?: number;
  most?: number;
  /** The second arm's label, where the ratio to another one says nothing about this aim. */
  over?: string;
}

export interface Measurement {
  /** What `--only` takes. */
  name: string;
  title: string;
  unit: string;
  /** What is compared, where it is not the same thing on both sides. */
  note?: string;
  aims: readonly Aim[];
  /** No more rounds than these, where readings take long and differ little. */
  mostRounds?: number;
  /** Starts what the readings need; `rounds` is how often each arm will be read, the warm-up apart. */
  open(launch: Launch, rounds: number): Promise<Opened>;
}
