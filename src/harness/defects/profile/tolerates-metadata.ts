import type { Defect } from '../defect.js';

/** PRF-09: what nobody reads is let through, and with it whatever somebody put there. */
export const toleratesMetadata: Defect = {
  id: 'tolerates-metadata',
  breaks: 'metadata beside the message’s own is passed over instead of refused',
  fails: ['PRF-09'],
  bindings: ['WSS'],
  executor: (parts) => ({
    ...parts,
    readCreate(params, self) {
      const { metadata: _metadata, ...rest } = params as Record<string, unknown>;
      return parts.readCreate(rest, self);
    },
  }),
};
