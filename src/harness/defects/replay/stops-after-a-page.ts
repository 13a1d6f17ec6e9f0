import { withPages } from '../change.js';
import type { Defect } from '../defect.js';

/** RPL-06: the first page says that it is the last. */
export const stopsAfterAPage: Defect = {
  id: 'stops-after-a-page',
  breaks: 'a page of events never names a next one',
  fails: ['RPL-06'],
  bindings: ['WSS'],
  executor: withPages((page) => ({ ...page, next: '' })),
};
