import { EXT, EXTENSIONS_PARAMETER } from '../../../profile/names.js';
import type { Defect } from '../defect.js';

/** PRF-03: another version passes for this one. */
export const negotiatesByPrefix: Defect = {
  id: 'negotiates-by-prefix',
  breaks: 'an extension URI that only begins like ours activates the profile',
  fails: ['PRF-03', 'PRF-04'],
  bindings: ['HTTP+JSON'],
  executor: (parts) => ({
    ...parts,
    checkNegotiated(request) {
      if (!String(request.headers[EXTENSIONS_PARAMETER.toLowerCase()] ?? '').includes(EXT))
        parts.checkNegotiated(request);
    },
  }),
};
