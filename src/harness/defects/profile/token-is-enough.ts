import { EXTENSIONS_PARAMETER } from '../../../profile/names.js';
import type { Defect } from '../defect.js';

/** PRF-27: whoever is authenticated is taken to have negotiated (O-56). */
export const tokenIsEnough: Defect = {
  id: 'token-is-enough',
  breaks: 'a valid token without the extension is served',
  fails: ['PRF-03', 'PRF-27'],
  bindings: ['WSS'],
  executor: (parts) => ({
    ...parts,
    checkNegotiated(request) {
      if (request.headers[EXTENSIONS_PARAMETER.toLowerCase()] !== undefined) parts.checkNegotiated(request);
    },
  }),
};
