import type { Defect } from '../defect.js';

/** RLY-13: as a proxy does that knows no half-open connection. */
export const answersHalfCloses: Defect = {
  id: 'answers-half-closes',
  breaks: 'an end of one side is an end of both: what the other side still had to say is lost',
  fails: ['RLY-13'],
  bindings: ['OAB'],
  topology: 'dual-outbound',
  relay: (parts) => ({
    ...parts,
    splice(client, stream) {
      parts.splice(client, stream);
      client.once('end', () => client.end());
      stream.once('end', () => stream.end());
    },
  }),
};
