/** The failure capsule: one redacted file from which a failed case is run again. Published as docs/schemas/capsule.schema.json. */
import { z } from 'zod';
import { RULES } from '../checkers/finding.js';

export const CAPSULE_SCHEMA = 'https://openabdev.github.io/openab/gate/capsule/v1';

/** Bounds of what a capsule holds; beyond them it says what was left out. */
export const BOUNDS = {
  links: 32,
  connections: 32,
  chunks: 40,
  exchanges: 24,
  text: 2048,
  points: 600,
  steps: 400,
  /** Characters of the whole file; the wire goes first. */
  file: 900_000,
} as const;

const count = z.number().int().nonnegative();
const ms = z.number().nonnegative();
const direction = z.enum(['upstream', 'downstream']);
const end = z.enum(['open', 'fin', 'reset', 'refused']);

const sweep = z.strictObject({
  name: z.string(),
  /** Points of the whole sweep. */
  of: count,
  /** The points of the smallest schedule that is known to fail. */
  points: z.array(z.strictObject({ index: count, point: z.unknown() })).max(BOUNDS.points),
});

const step = z.strictObject({
  /** Since the case began. */
  at_ms: ms,
  /** Link, script or subject. */
  on: z.string(),
  what: z.string(),
  detail: z.unknown().optional(),
});

const connection = z.strictObject({
  link: z.string(),
  index: count,
  opened_ms: ms,
  /** How the sender of each direction ended it, what it sent, and the beginning and end of that, redacted. */
  upstream: z.strictObject({ ended: end, bytes: count, text: z.string() }),
  downstream: z.strictObject({ ended: end, bytes: count, text: z.string() }),
  chunks: z.array(z.strictObject({ at_ms: ms, direction, offset: count, length: count })).max(BOUNDS.chunks),
});

const exchange = z.strictObject({
  at_ms: ms,
  session: z.string(),
  sent: z.string().optional(),
  status: z.string(),
  received: z.string(),
});

export const capsuleSchema = z.strictObject({
  schema: z.literal(CAPSULE_SCHEMA),
  /** Address of the case: criterion, binding, topology, name. */
  case: z.string().regex(/^[A-Z]{3}-\d\d\/.+\/[a-z-]+\/[\w.-]+$/),
  seed: z.number().int().nonnegative(),
  defect: z.string().nullable(),
  reason: z.string(),
  findings: z.array(z.strictObject({ rule: z.enum(RULES), subject: z.string(), what: z.string() })),
  schedule: z.strictObject({ sweeps: z.array(sweep), steps: z.array(step).max(BOUNDS.steps) }),
  /** How the schedule was made smaller; null where it was not tried or had nothing to leave out. */
  shrunk: z
    .strictObject({
      from: count,
      to: count,
      /** Runs of the case. */
      tests: count,
      /** No point can be left out; false when the time ran out first. */
      complete: z.boolean(),
      duration_ms: count,
      /** Of the smallest schedule's own run; null when no smaller one failed. */
      reason: z.string().nullable(),
    })
    .nullable(),
  /** What was on the wire in the run of `schedule`. */
  journal: z.strictObject({
    connections: z.array(connection).max(BOUNDS.connections),
    exchanges: z.array(exchange).max(BOUNDS.exchanges),
    /** What the bounds left out, in words. */
    left_out: z.array(z.string()),
  }),
  versions: z.strictObject({
    node: z.string(),
    platform: z.string(),
    product: z.string(),
    injector: z.string(),
  }),
  made_at: z.string(),
});

export type Capsule = z.infer<typeof capsuleSchema>;
