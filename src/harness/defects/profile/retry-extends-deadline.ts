import type { Defect } from '../defect.js';

/** PRF-20: each retry is a new acceptance. */
export const retryExtendsDeadline: Defect = {
  id: 'retry-extends-deadline',
  breaks: 'the deadline that a duplicate is told counts from the duplicate',
  fails: ['PRF-20'],
  bindings: ['HTTP+JSON'],
  executor: (parts) => ({
    ...parts,
    service: (service) => ({
      ...service,
      async create(caller, request) {
        const created = await service.create(caller, request);
        if (!created.duplicate) return created;
        const row = { ...created.snapshot.row, deadlineAt: Date.now() + request.deadline_ms };
        return { ...created, snapshot: { ...created.snapshot, row } };
      },
    }),
  }),
};
