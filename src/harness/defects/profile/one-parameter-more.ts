import type { Defect } from '../defect.js';

/** PRF-01: the card grows by what one peer wants to tell and no specification has (O-77). */
export const oneParameterMore: Defect = {
  id: 'one-parameter-more',
  breaks: 'the card’s params name a limit that the profile does not have',
  fails: ['PRF-01'],
  bindings: ['WSS'],
  executor: (parts) => ({
    ...parts,
    service: (service) => ({
      ...service,
      describe() {
        const description = service.describe();
        const limits = { ...description.params.limits, maxPriority: 9 };
        return { ...description, params: { ...description.params, limits } };
      },
    }),
  }),
};
