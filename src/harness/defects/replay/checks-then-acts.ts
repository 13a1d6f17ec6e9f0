import type { Defect } from '../defect.js';

/** RPL-11: between looking a request up and admitting it there is time for another one (OPEN-13). */
export const checksThenActs: Defect = {
  id: 'checks-then-acts',
  breaks: 'identical creates that arrive together are each admitted',
  fails: ['PRF-11', 'RPL-11'],
  bindings: ['JSONRPC'],
  executor(parts) {
    const { journal } = parts.executor;
    const underWay = new Map<string, number>();
    return {
      ...parts,
      executor: {
        ...parts.executor,
        journal: {
          ...journal,
          async admit(admission) {
            const { requestId } = admission.task;
            const before = underWay.get(requestId) ?? 0;
            underWay.set(requestId, before + 1);
            const own = before === 0 ? {} : { requestId: `${requestId}-${before}` };
            const nonce = before === 0 ? admission.nonce : `${admission.nonce}${before}`;
            const admitted = await journal.admit({
              ...admission,
              nonce,
              task: { ...admission.task, ...own },
            });
            return admitted;
          },
        },
      },
    };
  },
};
