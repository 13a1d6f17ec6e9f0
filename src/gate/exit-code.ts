/** The exit code of a run: scripts read it, so it never changes its meaning. */
import type { Verdict } from './verdict.js';

export const EXIT = {
  a2a: 0,
  harnessDefect: 1,
  usage: 2,
  untrusted: 3,
  custom: 10,
  customFailed: 11,
  inconclusive: 20,
  narrowedClean: 21,
  narrowedFailed: 22,
  narrowedUndetermined: 23,
  provisional: 30,
} as const;

export function exitCode(verdict: Verdict, allowProvisional: boolean): number {
  if (verdict.narrowed_by.length > 0 || verdict.defect !== null) {
    if (verdict.totals.failed > 0) return EXIT.narrowedFailed;
    const open = verdict.totals.undetermined + verdict.totals.not_run;
    return open > 0 ? EXIT.narrowedUndetermined : EXIT.narrowedClean;
  }
  if (verdict.decision === 'inconclusive') return EXIT.inconclusive;
  if (verdict.provisional && !allowProvisional) return EXIT.provisional;
  if (verdict.decision === 'a2a') return EXIT.a2a;
  return verdict.custom_protocol.deployable ? EXIT.custom : EXIT.customFailed;
}
