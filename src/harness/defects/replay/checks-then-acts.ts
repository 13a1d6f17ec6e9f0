import { withJournal } from '../change.js';
import type { Defect } from '../defect.js';

/** However busy the host is, of many that are sent at once some come in this time. */
const BETWEEN_MS = 25;

/** RPL-11: between looking a request up and admitting it there is time for another one (OPEN-13). */
export const checksThenActs: Defect = {
  id: 'checks-then-acts',
  breaks: 'identical creates that arrive together are each admitted',
  fails: ['PRF-11', 'PRF-15', 'RPL-11'],
  bindings: ['HTTP+JSON'],
  shownBy: ['/concurrent'],
  executor: withJournal((journal) => {
    const underWay = new Map<string, number>();
    return {
      async admit(admission) {
        const { caller, requestId, requestDigest } = admission.task;
        if (journal.reserved(caller, requestId, requestDigest, admission.nonce) !== undefined)
          return journal.admit(admission);
        const before = underWay.get(requestId) ?? 0;
        underWay.set(requestId, before + 1);
        await new Promise<void>((resolve) => setTimeout(resolve, BETWEEN_MS));
        if (before === 0) return journal.admit(admission);
        const task = { ...admission.task, requestId: `${requestId}-${before}` };
        return journal.admit({ ...admission, nonce: `${admission.nonce}${before}`, task });
      },
    };
  }),
};
