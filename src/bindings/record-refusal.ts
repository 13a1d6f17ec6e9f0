/** Which refusals a binding puts into the audit: those that nothing behind it records. */
import type { Caller, DelegationService } from '../executor/service.js';
import type { ProfileError } from '../profile/errors.js';

const DETAIL = 256;

/** `called`: the call had been read, so that admission records its own decisions; a read's not-found is none worth a row. */
export function recordRefusal(
  service: DelegationService,
  { reason, detail }: ProfileError,
  { caller, source, called }: { caller: Caller; source: string; called: boolean },
): void {
  if (detail === 'rate') {
    service.refused({ reason: 'RATE', source: `peer ${caller.peer}` });
    return;
  }
  const unrecorded =
    !called ||
    reason === 'MALFORMED' ||
    reason === 'UNKNOWN_MEMBER' ||
    reason === 'WRONG_TARGET' ||
    reason === 'CURSOR_INVALID';
  if (!unrecorded) return;
  const more = detail === undefined ? {} : { where: detail.slice(0, DETAIL) };
  service.refused({ reason, peer: caller.peer, source, detail: more });
}
