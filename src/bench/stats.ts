/** The figures of one measurement: medians of the rounds with their extremes. */
import type { Aim } from './measurement.js';

export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** Throws RangeError when there is nothing to sum up. */
export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  const lower = sorted[Math.ceil(middle) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('no rounds');
  return { median: (lower + upper) / 2, min: sorted[0] ?? upper, max: sorted.at(-1) ?? upper };
}

/** Each round's own ratio, so that what slows a whole round down slows both sides of it. */
export function ratios(first: readonly number[], second: readonly number[]): number[] {
  return first.map((value, round) => value / (second[round] ?? Number.NaN));
}

/** Whether a median is where it should be; a ratio that is no number (0 / 0) meets nothing. */
export function isMet({ least, most }: Aim, median: number): boolean {
  if (Number.isNaN(median)) return false;
  return (least === undefined || median >= least) && (most === undefined || median <= most);
}
