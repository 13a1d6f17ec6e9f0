/** The verdict's shape: what `verdict.json` holds. Published as docs/schemas/verdict.schema.json. */
import { z } from 'zod';
import { BINDINGS } from '../profile/names.js';

export const VERDICT_SCHEMA = 'https://openabdev.github.io/openab/gate/verdict/v1';

const binding = z.enum(BINDINGS);
const topology = z.enum(['direct', 'dual-outbound']);
const gateState = z.enum(['pass', 'fail', 'undetermined', 'not-exercised', 'not-run']);
const matrix = z.partialRecord(binding, z.partialRecord(topology, gateState));
const sha256 = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const count = z.number().int().nonnegative();

const failure = z.strictObject({
  criterion: z.string(),
  binding,
  topology,
  seed: z.number().int(),
  reason: z.string(),
  evidence: z.array(z.string()),
});

export const tradeoffSchema = z.strictObject({
  criterion: z.enum(['RLY-01', 'RLY-02', 'RLY-05', 'RLY-15']),
  cells: z.array(z.strictObject({ binding, topology })).min(1),
  reason: z.string().min(1).max(2000),
  accepted_by: z.string().min(1).max(200),
  expires: z.iso.date(),
});

export const totalsSchema = z.strictObject({
  planned: count,
  passed: count,
  failed: count,
  undetermined: count,
  not_exercised: count,
  not_run: count,
});

export const verdictSchema = z.strictObject({
  schema: z.literal(VERDICT_SCHEMA),
  decision: z.enum(['a2a', 'custom', 'inconclusive']),
  /** The binding that decided, for `a2a`; for `custom`, OAB. */
  binding: binding.nullable(),
  provisional: z.boolean(),
  interoperability_claim: z.enum(['a2a-1.0-standard-binding', 'a2a-1.0-custom-binding', 'none']),
  custom_protocol: z.strictObject({ replay: gateState, relay: gateState, deployable: z.boolean() }),
  gates: z.strictObject({ replay: matrix, relay: matrix, profile: matrix }),
  failed_criteria: z.array(failure),
  accepted_tradeoffs: z.array(tradeoffSchema),
  totals: totalsSchema,
  measurements: z.array(z.record(z.string(), z.unknown())),
  /** A smallest set of criteria that, with these outcomes instead, would change the decision; `*` is any criterion. */
  flips: z.array(z.strictObject({ criterion: z.string(), binding, outcome: z.enum(['passed', 'failed']) })),
  /** Criteria that failed on all four bindings: not the wire's fault. */
  core: z.array(z.string()),
  card_bindings: z.array(binding),
  /** Criteria that count for the reference peer only. */
  reference_only: z.array(z.string()),
  score: z.strictObject({
    defects_caught: count,
    defects: count,
    false_alarms: count,
    peers: count,
  }),
  defect: z.string().nullable(),
  seed: z.number().int(),
  /** The run was narrowed (and decides nothing) by these options. */
  narrowed_by: z.array(z.string()),
  subject: z.record(z.string(), z.unknown()),
  components: z.record(z.string(), z.unknown()),
  /** Every evidence file with its digest; the signature covers them through this list. */
  evidence: z.record(z.string(), sha256),
  started_at: z.string(),
  duration_ms: count,
});

export type Verdict = z.infer<typeof verdictSchema>;
export type Tradeoff = z.infer<typeof tradeoffSchema>;
export type GateState = z.infer<typeof gateState>;
export type Totals = z.infer<typeof totalsSchema>;
