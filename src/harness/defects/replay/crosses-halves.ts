import type { Defect } from '../defect.js';

/** What goes out in one piece. */
const WHOLE = 32;

/** RPL-06: two writes that wait for nobody, and the later one is there first. */
export const crossesHalves: Defect = {
  id: 'crosses-halves',
  breaks: 'on OAB and WSS a long batch of events is sent in halves, the second one first',
  fails: ['RPL-06', 'RPL-07', 'RPL-14'],
  bindings: ['OAB'],
  shownBy: ['/dead-reader'],
  executor: (parts) => ({
    ...parts,
    sendItems: (sink, batches, credits, signal) =>
      parts.sendItems({ send: (items) => sink.send(crossed(items)) }, batches, credits, signal),
  }),
};

function crossed(items: readonly string[]): readonly string[] {
  const half = items.length < WHOLE ? 0 : items.length / 2;
  return [...items.slice(half), ...items.slice(0, half)];
}
