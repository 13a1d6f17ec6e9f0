/** A binding that is right about its own tasks, and wrong about those that were made on another. */
import type { DelegationService } from '../../executor/service.js';
import type { ExecutorPeerParts } from '../../peer/executor.js';
import type { BindingName } from '../../profile/names.js';

/** `cursor` gives the one that is read in place of the given one, or throws. The cursor before the first event is spared. */
export function withCursorsFromElsewhere(
  wrong: BindingName,
  cursor: (id: string, given: string, parts: ExecutorPeerParts) => string,
): (parts: ExecutorPeerParts) => ExecutorPeerParts {
  return (parts) => {
    const elsewhere = new Set<string>();
    const read = (id: string, given: string) =>
      given !== '0' && elsewhere.has(id) ? cursor(id, given, parts) : given;
    const maker = (service: DelegationService): DelegationService => ({
      ...service,
      async create(caller, request) {
        const created = await service.create(caller, request);
        elsewhere.add(created.snapshot.row.taskId);
        return created;
      },
    });
    const reader = (service: DelegationService): DelegationService => ({
      ...service,
      get: async (caller, id, given) =>
        service.get(caller, id, given === undefined ? given : read(id, given)),
      follow: async (caller, id, given, signal) => service.follow(caller, id, read(id, given), signal),
    });
    return {
      ...parts,
      service: (service, binding) => (binding === wrong ? reader(service) : maker(service)),
    };
  };
}
