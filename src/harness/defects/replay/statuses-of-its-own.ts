import { ProfileError, type Reason } from '../../../profile/errors.js';
import type { Defect } from '../defect.js';

/** What looks as good to whoever knows HTTP and not A2A 11.6. */
const OWN: Readonly<Partial<Record<Reason, number>>> = { TASK_NOT_CANCELABLE: 409, CURSOR_INVALID: 404 };

/** RPL-01: the ErrorInfo is A2A's, and the status that comes with it is not (profile section 7). */
export const statusesOfItsOwn: Defect = {
  id: 'statuses-of-its-own',
  breaks: 'on HTTP+JSON a cancel of an ended task is answered 409, and a cursor that is none 404',
  fails: ['RPL-01', 'RPL-05', 'RPL-13', 'PRF-22'],
  bindings: ['HTTP+JSON'],
  executor: (parts) => ({
    ...parts,
    refusedAs(error) {
      const refused = parts.refusedAs(error);
      const status = error instanceof ProfileError ? OWN[error.reason] : undefined;
      if (status === undefined) return refused;
      const body = JSON.parse(refused.text) as { error: object };
      return { ...refused, status, text: JSON.stringify({ error: { ...body.error, code: status } }) };
    },
  }),
};
