/** Rates on the monotonic clock. */

/** What `work` did per second: it resolves with how much that was. */
export async function perSecond(work: () => Promise<number>): Promise<number> {
  const began = performance.now();
  const done = await work();
  return (done * 1000) / (performance.now() - began);
}
