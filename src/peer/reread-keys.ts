/** Key files are looked at again on SIGHUP and every so often, so that a revocation needs no restart (section 1). */
import type { KeyStore } from '../identity/key-store.js';
import type { Log } from '../telemetry/log.js';

/** Half the promised time, so that a change is in force before it is over. The result stops it. */
export function rereadKeys(
  stores: readonly KeyStore[],
  withinMs: number,
  log: Log,
  changed: (store: KeyStore) => void,
): () => void {
  const look = (force: boolean) => {
    for (const store of stores) {
      try {
        if (!store.reload(force)) continue;
        log.info({}, 'read a key file again');
        changed(store);
      } catch (error) {
        // The keys of before stay in force: an editor's half-written file must not take the peer down.
        log.error({ err: error }, 'a key file cannot be used; the former keys stay');
      }
    }
  };
  const onSignal = () => look(true);
  const timer = setInterval(() => look(false), Math.max(50, withinMs / 2));
  process.on('SIGHUP', onSignal);
  return () => {
    clearInterval(timer);
    process.off('SIGHUP', onSignal);
  };
}
