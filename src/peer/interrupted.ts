/** Watching a delegation ended before its result; the delegation itself goes on. Commands exit 4: nothing is known. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}
