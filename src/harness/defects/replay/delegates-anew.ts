import { onceMore } from '../change.js';
import type { Defect } from '../defect.js';

/** RPL-16: what was not answered is taken for not delivered, and asked under a new id (O-148, section 6). */
export const delegatesAnew: Defect = {
  id: 'delegates-anew',
  breaks: 'a coordinator that comes back before it had an answer asks again under another request id',
  fails: ['RPL-16'],
  bindings: ['JSONRPC'],
  shownAt: ['update sent'],
  coordinator: onceMore((request, { mint }) => ({
    ...request,
    request_id: mint('request'),
    nonce: mint('nonce'),
  })),
};
