/**
 * No byte of another principal: each task's text, and what its agent says, carries a mark of its own, and a mark may
 * come back only to whoever sent it.
 */
import { randomBytes } from 'node:crypto';
import type { Report } from './finding.js';

const PREFIX = 'oab-mark-';
const MARK = /oab-mark-[0-9a-f]{20}/g;
/** Of a whole run; the oldest are forgotten. */
const MAX_MARKS = 50_000;

/** Whose mark each is; one book serves a whole run, for cases share executors. */
export class Canaries {
  readonly #owners = new Map<string, Set<string>>();

  mint(): string {
    return `${PREFIX}${randomBytes(10).toString('hex')}`;
  }

  /** Every mark in a text that `principal` sends is theirs from now on. */
  sent(principal: string, text: string): void {
    if (!text.includes(PREFIX)) return;
    for (const [mark] of text.matchAll(MARK)) {
      const owners = this.#owners.get(mark);
      if (owners !== undefined) owners.add(principal);
      else this.#owners.set(mark, new Set([principal]));
    }
    while (this.#owners.size > MAX_MARKS) this.#owners.delete(this.#owners.keys().next().value as string);
  }

  /** Reports each mark of somebody else in what `principals` received. A mark that nobody is known to have sent is nobody's. */
  received(principals: readonly string[], where: string, text: string, report: Report): void {
    if (!text.includes(PREFIX)) return;
    const [whom = 'nobody'] = principals;
    for (const mark of new Set(text.match(MARK))) {
      const owners = this.#owners.get(mark);
      if (owners === undefined || principals.some((one) => owners.has(one))) continue;
      report('privacy', `${whom} received what ${[...owners].join(' and ')} sent (${mark}), in ${where}`);
    }
  }
}
