/** RPL-14: a link that is silent without an end is noticed within 2.5 heartbeats, the observation goes on over another, and the task stays one. */
import { Undetermined } from '../../src/harness/check.js';
import { until, within } from '../../src/harness/lab/deadline.js';
import type { CutKind, Link, TapConnection } from '../../src/harness/lab/ports.js';
import { isObserved, sentCalls } from '../../src/harness/lab/sent-calls.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf } from '../../src/harness/run/observe.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Suite } from '../../src/harness/suite.js';
import { deadReader } from './dead-reader.js';
import { silentAnswer } from './silent-answer.js';

const DEAD_AFTER = 2.5;
/** Between the notice and the next subscribe lie a back-off and a handshake; how late the host was comes on top. */
const ALLOWANCE = 2;
/** Heartbeats after which nobody waits for another subscribe any more: it is far too late already. */
const GIVEN_UP_AFTER = 4 * DEAD_AFTER * ALLOWANCE;
const RESULT_MS = 15_000;

/** Silences the connection of the stream; resolves once that is seen to have taken. */
type Strike = (stream: TapConnection, link: Link) => Promise<void>;

const byTap =
  (kind: CutKind): Strike =>
  async (stream) => {
    const cut = stream.cut({ kind, direction: 'downstream', at: 'now' });
    if (!(await cut.verify())) throw new Undetermined(`the fault did not take: ${kind}`);
  };

/** On connections that stand only: taken away again as soon as the silent one was left, so that another gets through. */
const byToxiproxy: Strike = async (stream, link) => {
  const proxy = await link.proxy();
  const toxic = await proxy.addToxic({ type: 'timeout', attributes: { timeout: 0 }, toxicity: 1 });
  const { toxics } = await proxy.state();
  if (!toxics.includes(toxic.name)) throw new Undetermined('the injector does not show the toxic');
  await until(() => (stream.ended.upstream === 'open' ? undefined : true), {
    ms: 10_000,
    what: 'the end of the silent connection by the coordinator',
    everyMs: 5,
  });
  await toxic.remove();
};

/** Every subscribe that passed the link so far, in order: the connection, and when its request was whole. */
function subscribes({ tap }: Link): { connection: TapConnection; at: number }[] {
  return tap.connections
    .filter(isObserved)
    .map((connection) => ({
      connection,
      at: connection.wire.filter(({ direction }) => direction === 'upstream').at(-1)?.at_ms ?? 0,
    }))
    .sort((one, other) => one.at - other.at);
}

const halfOpen = (strike: Strike, releasedInside: boolean) => async (lab: CaseLab) => {
  const executor = await lab.executor();
  const link = await lab.link(executor, 'c');
  // The way that the injector takes must be there before the first connection.
  if (strike === byToxiproxy) await link.proxy();
  const request = lab.script(executor, 'c', ['say before', 'hold go', 'say after']);
  const run = lab
    .coordinator()
    .run('delegate', lab.job(executor, executor.gate.keyFile, request, link.address));
  const { task_id } = await run.line('accepted');
  await executor.holds.waiting(lab.scriptId('c'), 'go');
  await until(() => (run.lines.some(({ sequence }) => sequence === 3) ? true : undefined), {
    ms: 10_000,
    what: 'the event before the hold point at the coordinator',
    everyMs: 5,
  });

  const stream = subscribes(link).at(-1)?.connection;
  if (stream === undefined) throw new Undetermined('there is no stream to silence');
  await strike(stream, link);
  if (releasedInside) {
    await executor.holds.release(lab.scriptId('c'), 'go');
    await ended(executor.probe(), String(task_id));
  }
  const struck = performance.now();
  const waited = () => performance.now() - struck - lab.hostLate();
  const next = await until(
    () => {
      const found = subscribes(link).find(({ connection }) => connection !== stream);
      lab.expect(
        found !== undefined || waited() < GIVEN_UP_AFTER * executor.settings.heartbeatMs,
        'the silent link is kept: no subscribe came on another connection',
      );
      return found;
    },
    { ms: 15_000, what: 'a subscribe on another connection', everyMs: 20 },
  );
  const heard = stream.wire.filter(({ direction }) => direction === 'downstream').at(-1)?.at_ms ?? 0;
  const beats = (next.at - heard) / executor.settings.heartbeatMs;
  const late = lab.hostLate() / executor.settings.heartbeatMs;
  lab.evidence('noticed.json', { beats, late });
  lab.expect(
    beats <= DEAD_AFTER * ALLOWANCE + late,
    `the silent link was left after ${beats.toFixed(1)} heartbeats, not ${DEAD_AFTER}`,
  );
  if (!releasedInside) await executor.holds.release(lab.scriptId('c'), 'go');
  const result = await within(run.result, RESULT_MS, 'the result after the resume').finally(() =>
    lab.evidence('lines.json', run.lines),
  );
  lab.expect(
    result?.outcome === 'completed' && result.verified === true && result.observation === 'complete',
    `after the resume: ${JSON.stringify(result)}`,
  );
  await stayedOne(lab, executor, link, String(task_id));
};

async function stayedOne(lab: CaseLab, executor: ExecutorSubject, link: Link, taskId: string): Promise<void> {
  const creates = link.tap.connections.flatMap(sentCalls).filter(({ does }) => does === 'create').length;
  const prompts = (await executor.holds.ledger(lab.scriptId('c'))).filter(({ kind }) => kind === 'prompt');
  lab.expect(creates === 1, `${creates} creates were sent`);
  lab.expect(prompts.length === 1, `the agent was prompted ${prompts.length} times`);
  const envelope = resultOf(await ended(executor.probe(), taskId)) ?? {};
  lab.expect(envelope.task_id === taskId, 'the result is of another task');
}

/** An idle stream is never silent for long: what a healthy link looks like, so that silence means something. */
async function beats(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const link = await lab.link(executor, 'b');
  const probe = executor.probe();
  const request = lab.script(executor, 'b', ['hold go']);
  const { id } = (await probe.create(request)).result ?? {};
  const session = probe.subscribe(String(id), { via: link.address });
  await session.until((frames) => frames.length > 0);
  await until(() => (session.heartbeats() >= 6 ? true : undefined), {
    ms: 15_000,
    what: 'six heartbeats',
    everyMs: 10,
  });
  const { wire } = await link.tap.connection(0);
  const times = wire.filter(({ direction }) => direction === 'downstream').map(({ at_ms }) => at_ms);
  const gaps = times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / executor.settings.heartbeatMs);
  const late = lab.hostLate() / executor.settings.heartbeatMs;
  lab.evidence('gaps.json', { gaps, late });
  lab.expect(
    Math.max(...gaps) <= DEAD_AFTER + late,
    `an idle stream was silent for ${Math.max(...gaps).toFixed(1)} heartbeats`,
  );
  await executor.holds.release(lab.scriptId('b'), 'go');
  await ended(probe, String(id));
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-14',
  alone: 'but-its-own',
  cases: () => [
    { name: 'beats', estimateMs: 2500, deadlineMs: 30_000, run: beats },
    { name: 'silence', estimateMs: 2500, deadlineMs: 40_000, run: halfOpen(byTap('silence'), false) },
    { name: 'one-way', estimateMs: 2500, deadlineMs: 40_000, run: halfOpen(byTap('silence-one-way'), false) },
    { name: 'terminal-inside', estimateMs: 2500, deadlineMs: 40_000, run: halfOpen(byTap('silence'), true) },
    { name: 'create-answer', estimateMs: 2500, deadlineMs: 40_000, run: silentAnswer },
    { name: 'dead-reader', estimateMs: 5000, deadlineMs: 60_000, run: deadReader },
    { name: 'toxiproxy', estimateMs: 2500, deadlineMs: 40_000, run: halfOpen(byToxiproxy, false) },
  ],
};
