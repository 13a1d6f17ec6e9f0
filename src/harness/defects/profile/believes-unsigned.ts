import type { ResultEnvelope } from '../../../profile/model.js';
import { KEY } from '../../../profile/names.js';
import type { Defect } from '../defect.js';

/** PRF-13: a signature that does not verify is logged, and the result believed. */
export const believesUnsigned: Defect = {
  id: 'believes-unsigned',
  breaks: 'the coordinator accepts a result whose signature does not verify',
  fails: ['PRF-13'],
  bindings: ['OAB'],
  shownBy: ['/signature'],
  coordinator: (parts) => ({
    ...parts,
    accept(received, expected, find) {
      const accepted = parts.accept(received, expected, find);
      if (!('refused' in accepted) || accepted.refused !== 'SIGNATURE_INVALID') return accepted;
      return { envelope: received.task.metadata?.[KEY.result] as ResultEnvelope };
    },
  }),
};
