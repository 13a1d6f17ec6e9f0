/** The decision in one or two sentences, the same in the terminal and in every report. */
import type { Verdict } from '../gate/verdict.js';

export function sentence(verdict: Verdict): string {
  const { failed, undetermined, not_run, not_exercised } = verdict.totals;
  if (verdict.defect !== null) {
    return `A run with the planted defect ${verdict.defect}: it decides nothing.`;
  }
  if (verdict.narrowed_by.length > 0) {
    return `A narrowed run (${verdict.narrowed_by.join(', ')}): it decides nothing. ${failed} failed, ${undetermined} undetermined, ${not_exercised} not exercised, ${not_run} not run.`;
  }
  if (verdict.decision === 'a2a') {
    return `A2A 1.0 with the OAB Delegation Profile is adopted, over ${verdict.binding ?? ''}.`;
  }
  if (verdict.decision === 'custom') {
    const fallback = verdict.custom_protocol.deployable
      ? 'which passed Replay and Relay itself'
      : 'which is not deployable: it did not pass Replay and Relay itself';
    return `Every A2A binding failed a gate: the custom OAB protocol is used, ${fallback}. Nobody may claim standard A2A interoperability.`;
  }
  return `No decision: ${undetermined} checks are undetermined, ${not_exercised} not exercised and ${not_run} not run, so the first candidate that did not fail is unproven.`;
}
