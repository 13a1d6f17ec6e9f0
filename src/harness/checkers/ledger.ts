/** What the agent itself wrote down (docs/agent.md), against what may have happened. */
import type { LedgerEntry } from '../lab/ports.js';

/** The agent of one executor was started and prompted as often as expected, and each effect happened once. */
export function exactly(
  ledger: readonly LedgerEntry[],
  expected: { prompts: number; starts?: number },
): string[] {
  const of = (kind: string) => ledger.filter((entry) => entry.kind === kind);
  const violations: string[] = [];
  if (of('prompt').length !== expected.prompts) {
    violations.push(`the agent was prompted ${of('prompt').length} times, not ${expected.prompts}`);
  }
  if (expected.starts !== undefined && of('start').length !== expected.starts) {
    violations.push(`the agent was started ${of('start').length} times, not ${expected.starts}`);
  }
  const effects = of('effect').map(({ case: id, name }) => `${id} ${String(name)}`);
  const twice = effects.find((effect, index) => effects.indexOf(effect) !== index);
  if (twice !== undefined) violations.push(`the effect ${twice} happened twice`);
  return violations;
}
