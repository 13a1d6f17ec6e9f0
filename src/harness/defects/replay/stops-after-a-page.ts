import type { Defect } from '../defect.js';

/** RPL-06: the first page says that it is the last. */
export const stopsAfterAPage: Defect = {
  id: 'stops-after-a-page',
  breaks: 'a page of events never names a next one',
  fails: ['RPL-06'],
  bindings: ['JSONRPC'],
  executor: (parts) => ({
    ...parts,
    service: (service) => ({
      ...service,
      async get(caller, id, cursor) {
        const answer = await service.get(caller, id, cursor);
        return answer.page === undefined ? answer : { ...answer, page: { ...answer.page, next: '' } };
      },
    }),
  }),
};
