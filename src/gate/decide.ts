/** The verdict's rules (gate contract, "Verdict"): pure, from check results to a decision that anyone can recompute. */
import type { CheckResult, Topology } from '../harness/check.js';
import { BINDINGS, type BindingName } from '../profile/names.js';
import type { GateName } from './criterion.js';
import { flips } from './flips.js';
import { walkOrder } from './order.js';
import { criterionOf } from './registry.js';
import { absentButAllowed, checksOf, covered, stateOf, totals } from './states.js';
import { type GateState, type Tradeoff, VERDICT_SCHEMA, type Verdict } from './verdict.js';
import { standing, UNDECIDED, walk } from './walk.js';

const TOPOLOGIES: readonly Topology[] = ['direct', 'dual-outbound'];

export interface Run {
  checks: readonly CheckResult[];
  tradeoffs: readonly Tradeoff[];
  /** Options that left something out; a narrowed run decides nothing. */
  narrowedBy: readonly string[];
  /** The embedded fault injector stood in for Toxiproxy. */
  embeddedInjector: boolean;
  defect: string | null;
  seed: number;
  subject: Record<string, unknown>;
  components: Record<string, unknown>;
  measurements: Record<string, unknown>[];
  evidence: Record<string, string>;
  score: Verdict['score'];
  startedAt: string;
  durationMs: number;
}

export function decide(run: Run): Verdict {
  const today = run.startedAt.slice(0, 10);
  const isCovered = (check: CheckResult) => covered(check, run.tradeoffs, today);
  const state = (gate: GateName, binding: BindingName) =>
    stateOf(checksOf(run.checks, gate, binding), isCovered);

  const narrowed = run.narrowedBy.length > 0 || run.defect !== null;
  const order = walkOrder(run.measurements);
  const { decision, binding } = narrowed ? UNDECIDED : walk(run.checks, isCovered, order);
  const fallback = { replay: state('replay', 'OAB'), relay: state('relay', 'OAB') };

  return {
    schema: VERDICT_SCHEMA,
    decision,
    binding,
    provisional: decision !== 'inconclusive' && (run.embeddedInjector || absentButAllowed(run.checks)),
    interoperability_claim: claimOf(decision, binding),
    custom_protocol: {
      ...fallback,
      deployable: fallback.replay === 'pass' && fallback.relay === 'pass',
    },
    gates: {
      replay: matrix(run, 'replay', isCovered),
      relay: matrix(run, 'relay', isCovered),
      profile: matrix(run, 'profile', isCovered),
    },
    failed_criteria: run.checks
      .filter(({ outcome }) => outcome === 'failed')
      .map((check) => ({
        criterion: check.criterion,
        binding: check.cell.binding,
        topology: check.cell.topology,
        seed: run.seed,
        reason: check.reason ?? 'failed without a reason',
        evidence: check.cases
          .filter(({ outcome }) => outcome === 'failed')
          .flatMap(({ evidence }) => evidence),
      })),
    accepted_tradeoffs: [...run.tradeoffs],
    totals: totals(run.checks),
    measurements: run.measurements,
    flips: narrowed ? [] : flips(run.checks, isCovered, order),
    core: core(run.checks),
    card_bindings: narrowed
      ? []
      : order.filter((candidate) => standing(run.checks, candidate, isCovered) === 'in'),
    reference_only: [
      ...new Set(
        run.checks.map(({ criterion }) => criterion).filter((id) => criterionOf(id).kind === 'inside'),
      ),
    ],
    score: run.score,
    defect: run.defect,
    seed: run.seed,
    narrowed_by: [...run.narrowedBy],
    subject: run.subject,
    components: run.components,
    evidence: run.evidence,
    started_at: run.startedAt,
    duration_ms: run.durationMs,
  };
}

function claimOf(
  decision: Verdict['decision'],
  binding: BindingName | null,
): Verdict['interoperability_claim'] {
  if (decision !== 'a2a') return 'none';
  return binding === 'WSS' ? 'a2a-1.0-custom-binding' : 'a2a-1.0-standard-binding';
}

function matrix(
  run: Run,
  gate: GateName,
  isCovered: (check: CheckResult) => boolean,
): Verdict['gates'][GateName] {
  const rows: Verdict['gates'][GateName] = {};
  for (const binding of BINDINGS) {
    const checks = checksOf(run.checks, gate, binding);
    const cells: Partial<Record<Topology, GateState>> = {};
    for (const topology of TOPOLOGIES) {
      const here = checks.filter(({ cell }) => cell.topology === topology);
      if (here.length > 0) cells[topology] = stateOf(here, isCovered);
    }
    if (Object.keys(cells).length > 0) rows[binding] = cells;
  }
  return rows;
}

/** Criteria that failed on all four bindings. */
function core(checks: readonly CheckResult[]): string[] {
  const failedOn = new Map<string, Set<BindingName>>();
  for (const { criterion, cell, outcome } of checks) {
    if (outcome !== 'failed') continue;
    const bindings = failedOn.get(criterion) ?? new Set();
    failedOn.set(criterion, bindings.add(cell.binding));
  }
  return [...failedOn].filter(([, bindings]) => bindings.size === BINDINGS.length).map(([id]) => id);
}
