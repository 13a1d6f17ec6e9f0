/** A store that does not answer is a refusal that says when to ask again (profile section 7), and no defect of ours. */
import { StoreUnavailable } from '../journal/journal.js';
import { ProfileError } from '../profile/errors.js';
import type { DelegationService } from './service.js';

/** The service with STORE_UNAVAILABLE for whatever the journal could not take or answer. */
export function sayingUnavailable(service: DelegationService): DelegationService {
  return {
    ...service,
    create: (caller, request) => said(() => service.create(caller, request)),
    get: (caller, taskId, cursor) => said(() => service.get(caller, taskId, cursor)),
    list: (caller, query) => said(() => service.list(caller, query)),
    cancel: (caller, taskId) => said(() => service.cancel(caller, taskId)),
    async observe(caller, taskId, signal, terminalOk) {
      const { snapshot, events } = await said(() => service.observe(caller, taskId, signal, terminalOk));
      return { snapshot, events: saidLater(events) };
    },
    async follow(caller, taskId, cursor, signal) {
      const following = await said(() => service.follow(caller, taskId, cursor, signal));
      return { ...following, events: saidLater(following.events) };
    },
  };
}

async function said<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof StoreUnavailable ? new ProfileError('STORE_UNAVAILABLE') : error;
  }
}

async function* saidLater<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw error instanceof StoreUnavailable ? new ProfileError('STORE_UNAVAILABLE') : error;
  }
}
