import { PeerRefusal, PeerUnreachable } from '../../../coordinator/connection.js';
import type { Defect } from '../defect.js';

/** RLY-11: the end of a relay is taken for the executor's answer, though no outcome follows from it (profile section 6). */
export const givesUpWithItsRelay: Defect = {
  id: 'gives-up-with-its-relay',
  breaks: 'a create whose relay went away is given up, though the same bytes would still be taken',
  fails: ['RLY-11'],
  bindings: ['OAB'],
  topology: 'dual-outbound',
  coordinator: (parts) => ({
    ...parts,
    connect(peer, cap) {
      const connection = parts.connect(peer, cap);
      return {
        ...connection,
        create: (request, options) =>
          connection.create(request, options).catch((error: Error) => {
            throw error instanceof PeerUnreachable ? new PeerRefusal('RELAY_LOST', -32603, false) : error;
          }),
      };
    },
  }),
};
