/** One fake executor and, for each named way of lying, a coordinator of its own that it lies to. */
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import type { FakeParts } from '../../src/harness/subjects/fake-parts.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { wireRequest } from '../../src/harness/wire/request.js';

const AT_ONCE = 4;
/** The shortest after which a coordinator may stop waiting for a terminal event, where none ever comes. */
const BRIEF = { deadline_ms: 1000, clock_skew: '0s' };
const USUAL = { deadline_ms: 60_000, clock_skew: '30s' };

interface Telling {
  /** The request by which the fake executor will know which lie is wanted. */
  begin(name: string, requestId: string): void;
  /** `said` is the result in few words, `events` what was printed of the log. */
  judge(name: string, result: Json | undefined, said: string, events: unknown[]): void;
  /** Of those the coordinator never reads a terminal event. */
  endless?(name: string): boolean;
}

/** Each name once; a few at a time, the next as soon as one is done. */
export async function told(
  lab: CaseLab,
  parts: Partial<FakeParts>,
  names: readonly string[],
  { begin, judge, endless }: Telling,
): Promise<void> {
  const { gate } = await lab.executor();
  const fake = await lab.fake('gate', parts);
  const one = async (name: string) => {
    const { deadline_ms, clock_skew } = endless?.(name) === true ? BRIEF : USUAL;
    const { request_id, task, capabilities } = wireRequest(fake.peer, 'a task for the harness itself');
    begin(name, request_id);
    const request = { request_id, task, capabilities, deadline_ms, max_output_bytes: 256 * 1024 };
    const job = { ...lab.jobTo(fake, gate.keyFile, request), clock_skew };
    const run = lab.coordinator().run('delegate', job);
    const result = await run.result;
    lab.attempt();
    lab.evidence(`${name}.json`, run.lines);
    const { outcome, verified, observation, reason } = result ?? {};
    const events = run.lines.flatMap(({ type, event }) => (type === 'event' ? [event] : []));
    judge(name, result, [outcome, `verified ${verified}`, observation, reason].join(', '), events);
  };
  const left = lab.sweep('lies', names).map(({ point }) => point);
  const worker = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await one(name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
