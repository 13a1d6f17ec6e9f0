/** Runs a program's one promise. */

/** The exit code of Node.js for a top-level `await` that nothing can settle any more. */
const UNSETTLED = 13;

/** A rejection ends the process with its trace; so does a promise that is left with nothing to wait for, lest it passes for success. */
export function toItsEnd(work: Promise<void>): void {
  const unsettled = () => {
    console.error('a defect, please report it: nothing is left to wait for, and there is no answer');
    process.exitCode = UNSETTLED;
  };
  process.once('beforeExit', unsettled);
  void work.finally(() => process.off('beforeExit', unsettled));
}
