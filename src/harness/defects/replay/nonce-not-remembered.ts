import { randomUUID } from 'node:crypto';
import { withJournal } from '../change.js';
import type { Defect } from '../defect.js';

/** RPL-18: idempotency is taken for replay protection. */
export const nonceNotRemembered: Defect = {
  id: 'nonce-not-remembered',
  breaks: 'a nonce may be used again by another request',
  fails: ['PRF-11', 'RPL-18'],
  bindings: ['HTTP+JSON'],
  shownBy: ['/refused'],
  executor: withJournal((journal) => ({
    admit: (admission) => journal.admit({ ...admission, nonce: randomUUID() }),
    reserved: (caller, requestId, digest) => journal.reserved(caller, requestId, digest, randomUUID()),
  })),
};
