/** What one measurement is to the runner: two arms that are read in turn, and how their ratio is to be read. */

import type { Usage } from './servers/control.js';
import type { Launch } from './side.js';

export interface Arm {
  label: string;
  /** One reading, in the measurement's unit; rejects when what was read is not what was asked for. */
  read(): Promise<number>;
  /** Of the server that is read, where one server serves all readings of the arm. */
  usage?(): Promise<Usage>;
}

export interface Opened {
  /** The ratio of a round is the first arm's reading over the second's. */
  arms: readonly [Arm, Arm];
  close(): Promise<void>;
}

export interface Aim {
  /** `ratio`, or the reading of the first arm. */
  of: 'ratio' | 'first';
  least?: number;
  most?: number;
}

export interface Measurement {
  /** What `--only` takes. */
  name: string;
  title: string;
  unit: string;
  /** What is compared, where it is not the same thing on both sides. */
  note?: string;
  aims: readonly Aim[];
  /** Starts what the readings need; `rounds` is how often each arm will be read, the warm-up apart. */
  open(launch: Launch, rounds: number): Promise<Opened>;
}
