/** Every criterion of the three gates, in the order of their ids; ids are addresses and never change. */

import { profile } from './criteria/profile.js';
import { relay } from './criteria/relay.js';
import { replay } from './criteria/replay.js';
import type { Criterion } from './criterion.js';

export const registry: readonly Criterion[] = [...replay, ...relay, ...profile];

const byId = new Map(registry.map((criterion) => [criterion.id, criterion]));

/** The criterion with this id; throws for an id that is in no gate. */
export function criterionOf(id: string): Criterion {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`no criterion ${id}; "oab-gate list criteria" shows them all`);
  return found;
}

/** Criteria whose id matches one of the globs (`RPL-*`, `PRF-1?`); `*` and `?` as in a shell. */
export function select(globs: readonly string[]): Criterion[] {
  const patterns = globs.map(
    (glob) =>
      new RegExp(
        `^${glob
          .replace(/[.+^${}()|[\]\\]/g, '\\$&')
          .replaceAll('*', '.*')
          .replaceAll('?', '.')}$`,
      ),
  );
  return registry.filter(({ id }) => patterns.some((pattern) => pattern.test(id)));
}
