/** Several at a time, the longest first, and each result handed on in the order of the items. */

/**
 * Runs `work` on every item, at most `most` at once and those of the greatest `weight` first, so that no long one is left
 * alone in the end. Calls `emit` with each result as soon as those before it are there too. Rejects with the first error;
 * what runs by then is awaited, and nothing more is started.
 */
export async function inOrder<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<R>,
  emit: (result: R) => void = () => {},
  weight: (item: T) => number = () => 0,
): Promise<R[]> {
  const results: { value: R }[] = [];
  const all: R[] = [];
  const queue = items
    .map((item, index) => ({ item, index, weight: weight(item) }))
    .sort((one, other) => other.weight - one.weight);
  let broken = false;
  const worker = async (): Promise<void> => {
    while (!broken) {
      const taken = queue.shift();
      if (taken === undefined) return;
      try {
        results[taken.index] = { value: await work(taken.item) };
      } catch (error) {
        broken = true;
        throw error;
      }
      for (let done = results[all.length]; done !== undefined; done = results[all.length]) {
        all.push(done.value);
        emit(done.value);
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.min(most, items.length) }, worker));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return all;
}
