/** Key files are looked at again on SIGHUP and every so often, so that a revocation needs no restart (section 1). */
import type { Log } from '../telemetry/log.js';

export interface WatchedFile {
  /** Whether it had changed; a file that is wrong throws and changes nothing. */
  reload(force?: boolean): boolean;
  changed(): void;
}

/** Half the promised time, so that a change is in force before it is over. The result stops it. */
export function rereadKeys(files: readonly WatchedFile[], withinMs: number, log: Log): () => void {
  const look = (force: boolean) => {
    for (const file of files) {
      try {
        if (!file.reload(force)) continue;
        log.info({}, 'read a key file again');
        file.changed();
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
