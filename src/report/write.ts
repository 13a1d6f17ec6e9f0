/** Writes a finished run's files: verdict.json, verdict.jws, junit.xml, report.md; each whole or not at all. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JWK } from 'jose';
import type { Verdict } from '../gate/verdict.js';
import type { CheckResult } from '../harness/check.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import { signVerdict } from './sign.js';

/** `key` is absent for a defect run, whose verdict the decision key never signs. */
export async function writeReports(
  out: string,
  verdict: Verdict,
  checks: readonly CheckResult[],
  key: JWK | undefined,
): Promise<string[]> {
  mkdirSync(out, { recursive: true });
  const json = Buffer.from(`${JSON.stringify(verdict, null, 2)}\n`);
  const files: Record<string, string | Uint8Array> = {
    'junit.xml': junit(verdict, checks),
    'report.md': markdown(verdict, checks),
    'verdict.json': json,
  };
  if (key !== undefined) files['verdict.jws'] = `${await signVerdict(json, key)}\n`;
  for (const [name, content] of Object.entries(files)) {
    const path = join(out, name);
    writeFileSync(`${path}.partial`, content);
    renameSync(`${path}.partial`, path);
  }
  return Object.keys(files).map((name) => join(out, name));
}
