import { onceMore } from '../change.js';
import type { Defect } from '../defect.js';

/** RPL-16: the same request, said again in other bytes; the executor takes it, and whoever compares sees two. */
export const retriesWithAnotherNonce: Defect = {
  id: 'retries-with-another-nonce',
  breaks: 'a coordinator that comes back before it had an answer sends its request with a new nonce',
  fails: ['RPL-16'],
  bindings: ['HTTP+JSON'],
  shownAt: ['update acceptedAt taskId turnId'],
  coordinator: onceMore((request, { mint }) => ({ ...request, nonce: mint('nonce') })),
};
