/** Whether two reasons tell of one failure: what differs from run to run (ids, numbers, how many more) is left out. */

/** The part of a reason that a second run of the same schedule repeats. */
export function failureOf(reason: string): string {
  return reason
    .replace(/ \(and \d+ more\)/g, '')
    .replace(/oab-mark-[0-9a-f]+/g, 'MARK')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, 'ID')
    .replace(/sha256:[0-9a-f]{64}/g, 'DIGEST')
    .replace(/\b[\w-]{40,}/g, 'TEXT')
    .replace(/\d+/g, '#');
}

export function sameFailure(one: string, other: string): boolean {
  return failureOf(one) === failureOf(other);
}
