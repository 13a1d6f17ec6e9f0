import type { Defect } from '../defect.js';

/** RPL-17: where events are missing, those that came are not compared with anything. */
export const gapExcusesAll: Defect = {
  id: 'gap-excuses-all',
  breaks: 'an altered event behind a gap in the log passes as merely incomplete',
  fails: ['RPL-17'],
  bindings: ['WSS'],
  shownBy: ['/trimmed'],
  coordinator: (parts) => ({
    ...parts,
    observation: (seen, log) => (seen.gaps ? 'incomplete' : parts.observation(seen, log)),
  }),
};
