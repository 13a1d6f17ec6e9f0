/** What several measurements of one thing come to. */

export interface Distribution {
  n: number;
  p50: number;
  p95: number;
  max: number;
}

/** Nearest rank: each figure is one that was measured. Throws RangeError when there is none. */
export function distribution(values: readonly number[]): Distribution {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
  if (sorted.length === 0) throw new RangeError('nothing was measured');
  return { n: sorted.length, p50: rank(0.5), p95: rank(0.95), max: rank(1) };
}
