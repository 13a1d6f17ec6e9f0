/** A coordinator's declared output over all its runs for one request: one task, one verified outcome, nothing believed that is not signed. */
import { jcs } from '../../profile/canonical.js';
import type { Json } from '../wire/probe.js';
import { verifyResult } from '../wire/verify-result.js';
import type { Report } from './finding.js';

export interface CoordinatorRun {
  action: string;
  lines: readonly Json[];
}

interface Requested {
  request_id: string;
  capabilities: readonly string[];
  /** JWKS file of the keys that may sign its results. */
  resultKeys: string;
  /** The harness played the executor: what it made the coordinator say of tasks and events is not the coordinator's fault. */
  forged: boolean;
}

/** `runs` in the order in which they were started, all of one request. */
export async function coordinatorLines(
  runs: readonly CoordinatorRun[],
  requested: Requested,
  report: Report,
): Promise<void> {
  const say = (what: string) => report('coordinator', `${requested.request_id}: ${what}`);
  const tasks = new Set<string>();
  const bodies = new Map<number, string>();
  const outcomes = new Set<string>();
  for (const { action, lines } of runs) {
    let before = 0;
    for (const [index, line] of lines.entries()) {
      if (typeof line.task_id === 'string' && !requested.forged) tasks.add(line.task_id);
      if (line.type === 'event' && !requested.forged) {
        const sequence = Number(line.sequence);
        if (sequence <= before) say(`${action} prints event ${sequence} after event ${before}`);
        before = sequence;
        const body = textOf(line.event);
        if (bodies.has(sequence) && bodies.get(sequence) !== body) say(`event ${sequence} is printed as two`);
        bodies.set(sequence, body);
      }
      if (line.type !== 'result') continue;
      if (index < lines.length - 1) say(`${action} prints something after its result`);
      if (line.verified !== true) continue;
      outcomes.add(String(line.outcome));
      await verified(line, requested, report, say);
    }
  }
  if (tasks.size > 1)
    report('exactly-once', `${requested.request_id} has two tasks: ${[...tasks].join(' and ')}`);
  if (outcomes.size > 1 && !requested.forged)
    say(`its verified outcome is ${[...outcomes].join(' and then ')}`);
}

/** Members in one order; what no canonical JSON can hold stays as it came. */
function textOf(event: unknown): string {
  try {
    return jcs(event);
  } catch {
    return JSON.stringify(event) ?? '';
  }
}

/** "Verified" is a claim about a signature, and about what is signed (profile section 6). */
async function verified(
  line: Json,
  { request_id, capabilities, resultKeys }: Requested,
  report: Report,
  say: (what: string) => void,
): Promise<void> {
  const envelope = line.envelope as Json | null | undefined;
  if (typeof envelope !== 'object' || envelope === null) return say('a verified result has no envelope');
  if (!(await verifyResult(envelope, resultKeys)))
    say('a result is called verified, and its signature does not verify with a stock JOSE library');
  if (envelope.status !== line.outcome)
    say(`the signed outcome ${String(envelope.status)} is reported as ${String(line.outcome)}`);
  if (envelope.request_id !== request_id || envelope.task_id !== line.task_id)
    say(`the verified result is that of ${String(envelope.request_id)}, ${String(envelope.task_id)}`);
  const effective = Array.isArray(envelope.effective_capabilities) ? envelope.effective_capabilities : [];
  const wider = effective.filter((one: string) => !capabilities.includes(one));
  if (wider.length > 0)
    report('authority', `${request_id}: accepted with ${wider.join(', ')}, which was not asked for`);
}
