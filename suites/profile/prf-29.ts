/** PRF-29: what the result lists as side effects is what the agent itself wrote down. */
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, taskOf } from '../../src/harness/run/observe.js';
import type { Suite } from '../../src/harness/suite.js';

interface SideEffect {
  kind: string;
  tool_call_id?: string;
  evidence: string;
}

const MOST = 128;
const HARMLESS = ['read', 'search', 'think'];

async function effects(
  lab: CaseLab,
  part: string,
  script: string[],
): Promise<{ listed: SideEffect[]; ledger: { kind: string; id: string; done: boolean }[] }> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const task = await ended(
    probe,
    String(taskOf(await probe.create(lab.script(executor, part, script)), 'the create').id),
    30_000,
  );
  const envelope = resultOf(task) ?? {};
  lab.evidence(`${part}.json`, envelope);
  const written = await executor.holds.ledger(lab.scriptId(part));
  const done = written
    .filter(({ kind }) => kind === 'tool')
    .map((entry) => ({ kind: String(entry.toolKind), id: String(entry.toolCallId), done: true }));
  const asked = written
    .filter(({ kind, chosen }) => kind === 'permission' && chosen !== 'once')
    .map((entry) => ({ kind: String(entry.toolKind), id: String(entry.toolCallId), done: false }));
  const ledger = [...done, ...asked].filter(({ kind }) => !HARMLESS.includes(kind));
  return {
    listed: (envelope.side_effects as SideEffect[]).filter(({ kind }) => kind !== 'boundary'),
    ledger,
  };
}

async function listed(lab: CaseLab): Promise<void> {
  const script = [
    'tool read a',
    'ask read b',
    'ask edit c',
    'ask fetch d',
    'tool execute e',
    'tool-failed delete f',
    'tool search g',
    'say done',
  ];
  const { listed: got, ledger } = await effects(lab, 'l', script);
  for (const { kind, id, done } of ledger) {
    lab.attempt();
    const entry = got.find((one) => one.tool_call_id === id);
    lab.expect(entry !== undefined, `${kind} ${id} is in the agent’s ledger and not in the result`);
    lab.expect(entry?.kind === kind, `${id} is listed as ${String(entry?.kind)}, not ${kind}`);
    lab.expect(
      done ? entry?.evidence === 'observed' : entry?.evidence === 'denied',
      `${kind} ${id} is ${String(entry?.evidence)}`,
    );
  }
  lab.expect(
    got.length === ledger.length,
    `the result lists ${got.length} effects, the agent ${ledger.length}`,
  );
}

async function truncated(lab: CaseLab): Promise<void> {
  const { listed: got, ledger } = await effects(
    lab,
    't',
    Array.from({ length: MOST + 20 }, (_, n) => `tool execute e${n}`),
  );
  lab.expect(ledger.length === MOST + 20, `the agent wrote ${ledger.length} calls down`);
  const last = got.at(-1);
  lab.expect(
    got.length === MOST + 1 && last?.kind === 'truncated',
    `${got.length} entries, the last ${String(last?.kind)}`,
  );
  lab.expect(
    got.slice(0, MOST).every(({ tool_call_id }, n) => tool_call_id === ledger[n]?.id),
    'the first 128 entries are not the agent’s first 128 calls',
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-29',
  cases: () => [
    { name: 'listed', estimateMs: 500, deadlineMs: 20_000, run: listed },
    { name: 'truncated', estimateMs: 1500, deadlineMs: 40_000, run: truncated },
  ],
};
