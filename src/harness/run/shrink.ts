/** Delta debugging (Zeller's ddmin): from a list of points that fails to one of which none can be left out. */

export interface Shrunk<T> {
  /** The smallest list known to fail. */
  points: T[];
  /** How many lists were tried. */
  tests: number;
  /** No single point of it can be left out; false when the time ran out before that was known. */
  complete: boolean;
}

/**
 * @param points known to fail, in their order, which is kept
 * @param fails whether a part of them fails in the same way; `undefined` when the time is out
 */
export async function shrink<T>(
  points: readonly T[],
  fails: (part: T[]) => Promise<boolean | undefined>,
): Promise<Shrunk<T>> {
  let current = [...points];
  let parts = 2;
  let tests = 0;
  while (current.length > 1) {
    const chunks = split(current, parts);
    // A part alone first, then all but a part; with two parts these are the same.
    const complements =
      parts === 2 ? [] : chunks.map((chunk) => current.filter((one) => !chunk.includes(one)));
    let found: T[] | undefined;
    for (const candidate of [...chunks, ...complements]) {
      tests += 1;
      const failed = await fails(candidate);
      if (failed === undefined) return { points: current, tests, complete: false };
      if (!failed) continue;
      found = candidate;
      break;
    }
    if (found !== undefined) {
      parts = chunks.includes(found) ? 2 : Math.max(parts - 1, 2);
      current = found;
    } else if (parts < current.length) parts = Math.min(2 * parts, current.length);
    else break;
  }
  return { points: current, tests, complete: true };
}

/** As even as can be, none empty. */
function split<T>(items: readonly T[], parts: number): T[][] {
  return Array.from({ length: parts }, (_, n) =>
    items.slice(Math.floor((n * items.length) / parts), Math.floor(((n + 1) * items.length) / parts)),
  );
}
