/** The evidence folder's manifest: every file with its digest, which the verdict carries and the signature covers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { CheckResult } from '../harness/check.js';
import { digestFile, listFiles } from './verify.js';

/** Writes the check results among the evidence and digests the whole folder; keys are paths relative to `out`. */
export async function sealEvidence(
  out: string,
  checks: readonly CheckResult[],
): Promise<Record<string, string>> {
  const folder = join(out, 'evidence');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'checks.json'), `${JSON.stringify(checks, null, 1)}\n`);
  const digests: Record<string, string> = {};
  for (const path of listFiles(folder)) {
    digests[relative(out, path).split(sep).join('/')] = await digestFile(path);
  }
  return digests;
}
