/** What a coordinator prints of the same tasks, each line as a script reads it. */
import { Transcript } from '../../src/harness/checkers/transcript.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Probe } from '../../src/harness/wire/probe.js';

export interface Scenario {
  script: readonly string[];
  more?: Record<string, unknown>;
  cap?: string[];
  cancel?: boolean;
  /** Its deadline passes. */
  expires?: boolean;
}

export const HOLD = 'never';
const AT_ONCE = 2;
const DEADLINES = [500, 2000, 8000];

/** Each scenario delegated by a coordinator of its own; resolves with its lines and its exit code. */
export async function declared(
  lab: CaseLab,
  executor: ExecutorSubject,
  probe: Probe,
  scenarios: Readonly<Record<string, Scenario>>,
): Promise<Record<string, Transcript>> {
  const transcripts: Record<string, Transcript> = {};
  const left = Object.entries(scenarios);
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [name, one] = next;
      transcripts[`what a coordinator prints of ${name}`] = await inTime(one, `d-${name}`, (...told) =>
        delegated(lab, executor, probe, ...told, one.cancel === true),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return transcripts;
}

/**
 * The story with a deadline that leaves the agent time for its words: they are a part of what is compared, and on a busy
 * host the shortest may pass before them.
 */
export async function inTime(
  { script, more = {}, expires = false }: Scenario,
  part: string,
  story: (part: string, script: readonly string[], more: Record<string, unknown>) => Promise<Transcript>,
): Promise<Transcript> {
  if (!expires) return story(part, script, more);
  let told = new Transcript();
  for (const deadline_ms of DEADLINES) {
    told = await story(`${part}-${deadline_ms}`, script, { ...more, deadline_ms });
    if (told.lines.some((line) => line.includes('artifactUpdate'))) break;
  }
  return told;
}

async function delegated(
  lab: CaseLab,
  executor: ExecutorSubject,
  probe: Probe,
  part: string,
  script: readonly string[],
  more: Record<string, unknown>,
  cancel: boolean,
): Promise<Transcript> {
  const request = lab.script(executor, part, script, more);
  const run = lab.coordinator().run('delegate', lab.job(executor, executor.gate.keyFile, request));
  if (cancel) {
    await executor.holds.waiting(lab.scriptId(part), HOLD);
    await probe.cancel(String((await run.line('accepted')).task_id));
  }
  const code = await run.exit;
  const transcript = new Transcript();
  for (const line of run.lines) transcript.add(`the line ${String(line.type)}`, line);
  transcript.add('the exit code', code);
  return transcript;
}
