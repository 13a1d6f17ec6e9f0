/** What a criterion is: one falsifiable statement, and the cells in which it must hold. */
import type { Cell, Topology } from '../harness/check.js';
import type { BindingName } from '../profile/names.js';

export type GateName = 'replay' | 'relay' | 'profile';

/** wire: from outside alone. hook: needs a declared means of the subject. inside: the reference peer only. */
export type Kind = 'wire' | 'hook' | 'inside';

/**
 * `all` four bindings by two topologies; `D`, `X` direct or dual-outbound on every binding; `A` the three A2A bindings;
 * `AD` those, direct only; `1` once per subject, counting in every binding.
 */
export type Cells = 'all' | 'D' | 'X' | 'A' | 'AD' | '1';

export interface Criterion {
  /** Stable for ever. */
  id: string;
  gate: GateName;
  statement: string;
  /** The threshold, where the statement alone does not give it. */
  threshold?: string;
  kind: Kind;
  cells: Cells;
  subject: 'executor' | 'coordinator' | 'pair' | 'relay';
  /** Obligations, decisions, clauses. */
  sources: readonly string[];
}

const TOPOLOGIES: Record<Cells, readonly Topology[]> = {
  all: ['direct', 'dual-outbound'],
  A: ['direct', 'dual-outbound'],
  D: ['direct'],
  AD: ['direct'],
  X: ['dual-outbound'],
  '1': ['direct', 'dual-outbound'],
};

/** The cells of a criterion among the chosen bindings and topologies; `1` takes the first of them that it has. */
export function cellsOf(
  criterion: Criterion,
  bindings: readonly BindingName[],
  topologies: readonly Topology[],
): Cell[] {
  const a2aOnly = criterion.cells === 'A' || criterion.cells === 'AD';
  const cells: Cell[] = [];
  for (const binding of bindings) {
    if (a2aOnly && binding === 'OAB') continue;
    for (const topology of TOPOLOGIES[criterion.cells]) {
      if (topologies.includes(topology)) cells.push({ binding, topology });
    }
  }
  return criterion.cells === '1' ? cells.slice(0, 1) : cells;
}
