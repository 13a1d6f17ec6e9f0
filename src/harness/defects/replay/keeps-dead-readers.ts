import type { Defect } from '../defect.js';

/** RPL-14: what was not taken is kept for whoever may never read on. */
export const keepsDeadReaders: Defect = {
  id: 'keeps-dead-readers',
  breaks: 'the executor holds a stream open for a reader that takes nothing any more',
  fails: ['RPL-14'],
  bindings: ['JSONRPC'],
  shownBy: ['/dead-reader'],
  executor: (parts) => ({
    ...parts,
    writeEvents: (response, frames, heartbeatMs) =>
      parts.writeEvents(response, frames, heartbeatMs, Number.POSITIVE_INFINITY),
  }),
};
