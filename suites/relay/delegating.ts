/** A coordinator whose create has reached the executor and whose answer is on its way back when its relay dies. */
import { until } from '../../src/harness/lab/deadline.js';
import type { Link, TapConnection } from '../../src/harness/lab/ports.js';
import { sentCalls } from '../../src/harness/lab/sent-calls.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';

/** Holds each answer back for long enough that the agent's first line is seen before it. */
const LATE_MS = 400;
/** In every Task, and in nothing that an executor says before there is one. */
const ANSWER = 'TASK_STATE_';

export interface Delegating {
  part: string;
  /** Resolves once the executor has the create; false when the answer was back by then. */
  unanswered(): Promise<boolean>;
  /** The connection of the create is gone with the relay, and with what was still on it. */
  cut(): Promise<void>;
  /** Resolves with its task; fails the case unless it was completed, and asked for by one message alone. */
  finished(): Promise<string>;
}

export async function delegating(lab: CaseLab, executor: ExecutorSubject, part: string): Promise<Delegating> {
  const links = await Promise.all(
    executor.relays.map((relay, index) => lab.link(executor, `${part}-${index + 1}`, relay.address())),
  );
  const [first] = links as [Link];
  const late = await (await first.proxy()).addToxic({ type: 'latency', attributes: { latency: 0 } });
  const request = lab.script(executor, part, [`effect ${part}`, 'say done']);
  const job = lab.job(executor, executor.gate.keyFile, request, first.address, links.slice(1));
  const run = lab.coordinator().run('delegate', job);
  // From its first words to the executor on; what it takes to come that far is nobody's answer.
  await until(() => first.tap.connections.some((one) => one.plain('upstream').length > 0), {
    ms: 15_000,
    what: `the first request of ${part}`,
    everyMs: 3,
  });
  await late.update({ attributes: { latency: LATE_MS } });
  const createsOn = (connection: TapConnection) =>
    sentCalls(connection).filter(({ does }) => does === 'create');
  let asked: TapConnection | undefined;
  return {
    part,
    async unanswered() {
      await executor.holds.awaitLedger(lab.scriptId(part), (entries) =>
        entries.some(({ kind }) => kind === 'prompt'),
      );
      asked = first.tap.connections.find((one) => createsOn(one).length > 0);
      return asked !== undefined && !asked.plain('downstream').includes(ANSWER);
    },
    async cut() {
      // Silenced first: to take a toxic away, Toxiproxy waits until what is held is read, and after a reset nobody reads.
      await asked?.cut({ kind: 'silence', direction: 'downstream', at: 'now' }).verify();
      await late.remove();
      await asked?.cut({ kind: 'reset', direction: 'downstream', at: 'now' }).verify();
    },
    async finished() {
      const result = await run.result;
      lab.evidence(`${part}.json`, run.lines);
      lab.expect(
        result?.outcome === 'completed' && result.verified === true && result.observation === 'complete',
        () => `${part}, when its relay had died: ${JSON.stringify(result)} ${run.stderr().slice(-300)}`,
      );
      const creates = links
        .flatMap(({ tap }) => [...tap.connections])
        .flatMap(createsOn)
        .map(({ message }) => message);
      lab.expect(
        new Set(creates).size === 1,
        `${part}: ${new Set(creates).size} different messages were sent`,
      );
      return String(result?.task_id);
    },
  };
}
