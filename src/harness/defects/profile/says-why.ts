import { ProfileError } from '../../../profile/errors.js';
import type { Defect } from '../defect.js';

/** PRF-21: a foreign task is told from one that does not exist. */
export const saysWhy: Defect = {
  id: 'says-why',
  breaks: 'another caller’s task is answered as existing: its cancel is refused for another reason',
  fails: ['PRF-21'],
  bindings: ['WSS'],
  executor(parts) {
    const { journal } = parts.executor;
    return {
      ...parts,
      service: (service) => ({
        ...service,
        async cancel(caller, id) {
          const row = journal.task(id);
          if (row !== undefined && row.caller !== caller.peer)
            throw new ProfileError('UNSUPPORTED_OPERATION');
          return service.cancel(caller, id);
        },
      }),
    };
  },
};
