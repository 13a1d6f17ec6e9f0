/** The fast path of admission: reads beside the writer, which may commit between any two of them. */
import type { Digest } from '../profile/model.js';
import type { Admitted } from './journal.js';
import type { Reader } from './reader.js';

/** What the reservations say of a create, or undefined when there is none (D-1: idempotency before the nonce). */
export function reserved(
  reader: Pick<Reader, 'nonceTaken' | 'reservation'>,
  caller: string,
  requestId: string,
  digest: Digest,
  nonce: string,
): Admitted | undefined {
  // The nonce is read first: whatever commits between the two reads, a request that used it shows in the second one,
  // and its own retry is a duplicate, never a reuse.
  const nonceTaken = reader.nonceTaken(caller, nonce);
  const task = reader.reservation(caller, requestId);
  if (task !== undefined)
    return task.requestDigest === digest ? { kind: 'duplicate', task } : { kind: 'conflict' };
  return nonceTaken ? { kind: 'nonce_reused' } : undefined;
}
