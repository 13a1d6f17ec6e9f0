import type { Defect } from '../defect.js';

/** RPL-14: an idle stream says nothing for longer than its card promises. */
export const beatsRarely: Defect = {
  id: 'beats-rarely',
  breaks: 'heartbeats come six times as rarely as the card says',
  fails: ['RPL-14'],
  bindings: ['HTTP+JSON', 'WSS'],
  shownBy: ['/beats'],
  executor: (parts) => ({
    ...parts,
    writeEvents: (response, frames, heartbeatMs) => parts.writeEvents(response, frames, 6 * heartbeatMs),
    letGoOfTheSilent: (ws, socket, heartbeatMs) => parts.letGoOfTheSilent(ws, socket, 6 * heartbeatMs),
  }),
};
