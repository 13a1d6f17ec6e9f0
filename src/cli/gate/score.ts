/** The score of the planted defects: `oab-gate power` writes it, and a later `oab-gate run --score FILE` carries it. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Verdict } from '../../gate/verdict.js';
import { defects } from '../../harness/defects/registry.js';
import { UsageError } from '../usage-error.js';
import { buildDigest } from './build-digest.js';

export const SCORE_SCHEMA = 'https://openabdev.github.io/openab/gate/score/v1';

const row = z.strictObject({
  defect: z.string(),
  /** The checks that it declares, by their addresses: `RPL-03/WSS/direct`. */
  expected: z.array(z.string()),
  /** The checks that failed. */
  failed: z.array(z.string()),
  /** What neither passed nor failed: a defect that is only "undetermined" is not caught. */
  undetermined: z.array(z.string()),
  caught: z.boolean(),
  duration_ms: z.number().int().nonnegative(),
});

const scoreSchema = z.strictObject({
  schema: z.literal(SCORE_SCHEMA),
  /** Digest of the code that made it: a score of other code says nothing about this one. */
  build: z.string(),
  seed: z.number().int(),
  started_at: z.string(),
  duration_ms: z.number().int().nonnegative(),
  defects: z.array(row),
});

export type Caught = z.infer<typeof row>;
export type Score = z.infer<typeof scoreSchema>;

/** What a run carries that was given no score: it claims none. */
export const NO_SCORE: Verdict['score'] = { defects_caught: 0, defects: 0, false_alarms: 0, peers: 0 };

/**
 * The score of this file for a verdict. Throws UsageError for a file that is none, that another build made, or that
 * leaves a planted defect out.
 */
export function readScore(
  path: string,
  build = buildDigest(),
  known: readonly { id: string }[] = defects,
): Verdict['score'] {
  const score = parse(path);
  const again = 'run "oab-gate power" again';
  if (score.build !== build) throw new UsageError(`${path}: made by another build of oab-gate; ${again}`);
  const ran = new Set(score.defects.map(({ defect }) => defect));
  const missing = known.filter(({ id }) => !ran.has(id));
  if (missing.length > 0)
    throw new UsageError(
      `${path}: ${missing.length} planted defects did not run, ${missing[0]?.id} first; ${again} without --defects`,
    );
  return {
    ...NO_SCORE,
    defects: score.defects.length,
    defects_caught: score.defects.filter(({ caught }) => caught).length,
  };
}

function parse(path: string): Score {
  try {
    return scoreSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const issue =
      error instanceof z.ZodError
        ? `${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`
        : (error as Error).message;
    throw new UsageError(`${path}: no score of "oab-gate power": ${issue}`);
  }
}
