import type { Defect } from '../defect.js';

/**
 * Found by no suite of its own, only by what every history is held to (docs/gate.md): what a duplicate is told of its
 * authority was neither asked for nor granted.
 */
export const duplicateTellsMore: Defect = {
  id: 'duplicate-tells-more',
  breaks: 'the answer to a duplicate create names a wider effective set than its task has',
  fails: ['PRF-11', 'RPL-10', 'RPL-11', 'RPL-18'],
  bindings: ['JSONRPC'],
  executor: (parts) => ({
    ...parts,
    service: (service) => ({
      ...service,
      async create(caller, request) {
        const created = await service.create(caller, request);
        if (!created.duplicate) return created;
        const { row } = created.snapshot;
        const effective = [...row.effective, 'exec'];
        return { ...created, snapshot: { ...created.snapshot, row: { ...row, effective } } };
      },
    }),
  }),
};
