/** The `store` hook over the faults of a store that the harness can reach: one state at a time, each seen from outside. */
import { Undetermined } from '../../check.js';
import { full } from './full.js';
import { lost } from './lost.js';
import { readonly } from './readonly.js';
import { slow } from './slow.js';
import type { StoreFault, StoreFaultKind, StoreState, StoreTarget } from './store-fault.js';

export const storeFaults: readonly StoreFaultKind[] = [full, readonly, slow, lost];

/**
 * Resolves once the store is in the state and seen to be. A fault that does not take, that did not hold until it was
 * cleared, or that does not go away is no fault of the subject: Undetermined.
 */
export function storeHook(target: StoreTarget): (state: StoreState) => Promise<void> {
  let armed: { name: string; fault: StoreFault } | undefined;
  const end = async () => {
    if (armed === undefined) return;
    const { name, fault } = armed;
    armed = undefined;
    const held = await fault.verify();
    await fault.clear();
    if (!(await fault.gone()))
      throw new Undetermined(`the store is still ${name}, although that was cleared`);
    if (!held) throw new Undetermined(`the store did not stay ${name} until that was cleared`);
  };
  return async (state) => {
    await end();
    const kind = storeFaults.find(({ name }) => name === state);
    if (kind === undefined) return;
    armed = { name: state, fault: kind.create(target) };
    try {
      await armed.fault.arm();
    } catch (error) {
      throw new Undetermined(`the store cannot be made ${state} here: ${(error as Error).message}`);
    }
    if (!(await armed.fault.verify())) throw new Undetermined(`the store is not seen to be ${state}`);
  };
}
