import type { Defect } from '../defect.js';

const LATE = { floorMs: 5000, ceilingMs: 5000 };

/** RLY-02: a relay that was not there is asked again when it suits. */
export const redialsLate: Defect = {
  id: 'redials-late',
  breaks:
    'an executor that did not reach its relay waits seconds before it dials again, whatever its floor is',
  fails: ['RLY-02'],
  bindings: ['HTTP+JSON'],
  topology: 'dual-outbound',
  executor: (parts) => ({
    ...parts,
    openTunnel: (options) => parts.openTunnel({ ...options, reconnect: LATE }),
  }),
};
