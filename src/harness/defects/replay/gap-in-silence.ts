import type { Defect } from '../defect.js';

/** RPL-12: what was trimmed was never there. */
export const gapInSilence: Defect = {
  id: 'gap-in-silence',
  breaks: 'a page below the retention floor says that it is complete',
  fails: ['RPL-12'],
  bindings: ['JSONRPC'],
  executor: (parts) => ({
    ...parts,
    service: (service) => ({
      ...service,
      async get(caller, id, cursor) {
        const answer = await service.get(caller, id, cursor);
        if (answer.page === undefined) return answer;
        const { events, next } = answer.page;
        return { ...answer, page: { events, next, complete: true } };
      },
    }),
  }),
};
