import type { Defect } from '../defect.js';

/** PRF-12: the caller turns what nobody knows into what it hoped for (O-145, OPEN-17). */
export const unknownIsSuccess: Defect = {
  id: 'unknown-is-success',
  breaks: 'the coordinator reports a signed unknown as completed',
  fails: ['PRF-12'],
  bindings: ['WSS'],
  shownBy: ['/coordinator-unknown'],
  coordinator: (parts) => ({
    ...parts,
    accept(received, expected, find) {
      const accepted = parts.accept(received, expected, find);
      if ('refused' in accepted || accepted.envelope.status !== 'unknown') return accepted;
      return { envelope: { ...accepted.envelope, status: 'completed' } };
    },
  }),
};
