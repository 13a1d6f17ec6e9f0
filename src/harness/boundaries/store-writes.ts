/** Every write of the coordinator's store under a name that says what it makes durable, for stopping at it. */
import type { Delegation, Store } from '../../coordinator/store.js';
import type { Stops } from './stops.js';

/** The port's methods that change something: a new method is one of them until it is named here as a reading one. */
type Writing = Exclude<keyof Store, 'find' | 'all' | 'close'>;

export const STORE_WRITES: { readonly [M in Writing]: (...args: Parameters<Store[M]>) => string } = {
  insert: () => 'insert',
  update: (_requestId: string, change: Partial<Delegation>) =>
    `update ${Object.keys(change).sort().join(' ')}`,
};

/** The members that are written again after the intent was; a new one has no name here and does not compile. */
export const WRITTEN_LATER: {
  readonly [M in Exclude<
    keyof Delegation,
    'requestId' | 'peer' | 'request' | 'requestDigest' | 'cap' | 'createdAt'
  >]: true;
} = {
  sent: true,
  taskId: true,
  turnId: true,
  acceptedAt: true,
  cancelWanted: true,
  cursor: true,
  sequence: true,
  head: true,
  from: true,
  gaps: true,
  result: true,
};

export function instrumentStore(store: Store, stops: Stops): Store {
  return {
    ...store,
    insert: (delegation) =>
      stops.aroundNow(STORE_WRITES.insert(delegation), () => store.insert(delegation), {
        cursor: delegation.cursor,
      }),
    update: (requestId, change) =>
      stops.aroundNow(STORE_WRITES.update(requestId, change), () => store.update(requestId, change), {
        ...(change.cursor === undefined ? {} : { cursor: change.cursor, sequence: change.sequence }),
        ...(change.taskId === undefined ? {} : { task: change.taskId }),
      }),
  };
}
