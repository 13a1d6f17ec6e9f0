/** One planted defect, run in a process of its own: nothing that it breaks or leaves behind reaches the next one. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Verdict, verdictSchema } from '../../gate/verdict.js';
import type { Defect } from '../../harness/defects/defect.js';
import { endWithUs } from '../../harness/lab/with-us.js';
import type { Caught } from './score.js';

const PROGRAM = fileURLToPath(new URL('../oab-gate.js', import.meta.url));
const STDERR_KEPT = 4000;
/** Of each sweep: enough for most failures and for a bystander; a declared criterion that passes them is run whole. */
const POINTS = 6;

/** Runs `oab-gate run --defect ID` into `out` and judges its verdict. Rejects when that run came to no verdict. */
export async function plant(defect: Defect, seed: number, out: string): Promise<Caught> {
  const file = join(out, 'verdict.json');
  rmSync(file, { force: true });
  const { code, stderr } = await run([
    'run',
    ...['--defect', defect.id],
    ...['--bindings', defect.bindings.join(',')],
    ...['--topologies', defect.topology ?? 'direct'],
    ...['--seed', String(seed)],
    ...['--budget', '24h'],
    // A second failure of a criterion that has failed proves nothing more, and why it failed is known.
    ...['--fail-fast', '--shrink', '0s'],
    ...['--points', String(POINTS)],
    ...['--out', out],
    '--json',
  ]);
  let verdict: Verdict;
  try {
    verdict = verdictSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Error(
      `the run with ${defect.id} exited ${code} without a verdict (${(error as Error).message.slice(0, 200)}): ${stderr}`,
    );
  }
  return caught(defect, verdict);
}

/** Caught: exactly what the defect declares failed, and nothing was left open. */
export function caught({ id, fails }: Pick<Defect, 'id' | 'fails'>, verdict: Verdict): Caught {
  const failed = [...new Set(verdict.failed_criteria.map(({ criterion }) => criterion))].sort();
  const expected = [...fails].sort();
  const open = verdict.totals.undetermined > 0 ? [`${verdict.totals.undetermined} checks`] : [];
  return {
    defect: id,
    expected,
    failed,
    undetermined: open,
    caught: failed.join() === expected.join() && open.length === 0,
    duration_ms: verdict.duration_ms,
  };
}

function run(args: string[]): Promise<{ code: number | string | null; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, PROGRAM, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    // It ends what it started itself.
    endWithUs(child, 'SIGTERM');
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_KEPT);
    });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code: code ?? signal, stderr }));
  });
}
