import { PeerUnreachable } from '../../../coordinator/connection.js';
import type { Defect } from '../defect.js';

/** RLY-11: what a relay took with it is taken for never delivered, and asked as something new (profile section 6). */
export const anotherIdThroughAnotherRelay: Defect = {
  id: 'another-id-through-another-relay',
  breaks: 'a create that went down with its relay is sent through the next one under another request id',
  fails: ['RLY-11'],
  bindings: ['WSS'],
  topology: 'dual-outbound',
  coordinator: (parts) => ({
    ...parts,
    connect(peer, cap) {
      const connection = parts.connect(peer, cap);
      let change = {};
      return {
        ...connection,
        async create(request, options) {
          try {
            return await connection.create({ ...request, ...change }, options);
          } catch (error) {
            if (error instanceof PeerUnreachable)
              change = { request_id: parts.mint('request'), nonce: parts.mint('nonce') };
            throw error;
          }
        },
      };
    },
  }),
};
