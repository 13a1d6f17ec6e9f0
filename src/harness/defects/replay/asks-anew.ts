import type { Defect } from '../defect.js';

/** RPL-14: a create whose answer did not come is taken for one that never was (O-147). */
export const asksAnew: Defect = {
  id: 'asks-anew',
  breaks: 'a create whose answer was lost is sent again as another request',
  fails: ['RPL-14'],
  bindings: ['WSS'],
  shownBy: ['/create-answer'],
  coordinator: (parts) => ({
    ...parts,
    connect(peer, cap) {
      const connection = parts.connect(peer, cap);
      let sent = 0;
      return {
        ...connection,
        create(request, options) {
          sent += 1;
          if (sent === 1) return connection.create(request, options);
          const again = { request_id: `${request.request_id}-${sent}`, nonce: parts.mint('nonce') };
          return connection.create({ ...request, ...again }, options);
        },
      };
    },
  }),
};
