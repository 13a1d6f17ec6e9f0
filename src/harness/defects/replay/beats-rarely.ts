import type { Defect } from '../defect.js';

/** RPL-14: an idle stream says nothing for longer than its card promises. */
export const beatsRarely: Defect = {
  id: 'beats-rarely',
  breaks: 'heartbeats come eight times as rarely as the card says',
  fails: ['RPL-14'],
  bindings: ['HTTP+JSON'],
  shownBy: ['/beats'],
  executor: (parts) => ({
    ...parts,
    writeEvents: (response, frames, heartbeatMs) => parts.writeEvents(response, frames, 8 * heartbeatMs),
  }),
};
