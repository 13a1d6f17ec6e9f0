/** RPL-15: an executor that is killed at any boundary of its journal leaves what profile section 5 says, and prompts nobody twice. */
import { EXECUTOR_STORIES, EXECUTORS } from '../../src/harness/boundaries/executor-stories.js';
import type { When } from '../../src/harness/boundaries/stops.js';
import { create, openScene, releaseAll, type Scene, type Story } from '../../src/harness/boundaries/story.js';
import {
  killedAt,
  type Place,
  record,
  type Stage,
  sought,
  stagesOf,
} from '../../src/harness/boundaries/walk.js';
import { finished } from '../../src/harness/checkers/history.js';
import type { LedgerEntry } from '../../src/harness/lab/ports.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, type Seen, tail, taskOf } from '../../src/harness/run/observe.js';
import { auditOf, requestsTwice } from '../../src/harness/run/tasks.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json, Probe } from '../../src/harness/wire/probe.js';
import { verifyResult } from '../../src/harness/wire/verify-result.js';
import { headAfter } from '../../src/profile/chain.js';
import type { Digest } from '../../src/profile/model.js';
import { KEY } from '../../src/profile/names.js';

/** Chains of kills at a time, by the executor that they need: each start recovers the task before and serves the next. */
const CHAINS: Readonly<Record<string, number>> = { usual: 3, mute: 1, forgetful: 1 };

interface Attempt {
  story: Story;
  place: Place;
  when: When;
  /** How the story ends when nobody disturbs it. */
  undisturbed: string;
}

interface Kept {
  id: string;
  script: string;
  envelope: Json;
}

type Subject = Awaited<ReturnType<CaseLab['stoppable']>>;

async function boundaries(lab: CaseLab): Promise<void> {
  const chains = (
    await Promise.all(
      Object.entries(CHAINS).flatMap(([on, count]) =>
        Array.from({ length: count }, async () => ({ on, subject: await lab.stoppable(EXECUTORS[on]) })),
      ),
    )
  ).map((chain) => ({ ...chain, kept: [] as Kept[], tasks: 0 }));
  for (const { subject } of chains) lab.needs(subject.executor, 'kill', 'start', 'boundaries');
  let part = 0;
  /** Each of these on a chain that has what it needs, as soon as one is free. */
  const onChains = async <T extends { story: Story }, R>(
    all: readonly T[],
    run: (one: T, chain: (typeof chains)[number], next: () => Scene) => Promise<R>,
  ): Promise<R[]> => {
    const results: R[] = [];
    const waiting = new Map(
      Object.keys(CHAINS).map((on) => [on, all.filter(({ story }) => story.on === on)]),
    );
    await Promise.all(
      chains.map(async (chain) => {
        for (
          let one = waiting.get(chain.on)?.shift();
          one !== undefined;
          one = waiting.get(chain.on)?.shift()
        ) {
          const { story } = one;
          const next = () => {
            part += 1;
            return openScene(lab, chain.subject, story, `p${part}`);
          };
          results[all.indexOf(one)] = await run(one, chain, next);
        }
      }),
    );
    return results;
  };

  const walked = await onChains(
    EXECUTOR_STORIES.map((story) => ({ story })),
    async ({ story }, chain, next) => {
      const scene = next();
      const places = await record(scene, story);
      chain.tasks += 1;
      const { envelope } = await keep(scene, chain.kept);
      return { story, places, undisturbed: outcomeOf(envelope) };
    },
  );
  const all = everyBoundary(walked);
  const points = all.map(({ story, place, when }) => ({ story: story.name, ...place, when }));
  const attempts = lab.sweep('boundaries', points).map(({ index }) => all[index] as Attempt);
  const seen = await onChains(attempts, async (attempt, chain, next) => {
    const { story, place, when } = attempt;
    const { scene, account } = await sought(`${story.name}: ${when} ${place.label}`, async () => {
      const opened = next();
      const told = await killedAt(opened, story, place, when);
      await chain.subject.executor.start();
      if (told !== undefined) return { scene: opened, account: told };
      chain.tasks = (await totalOf(opened.probe)) ?? chain.tasks;
      return undefined;
    });
    lab.attempt();
    const stages = stagesOf(account, when);
    const got = await recovered(lab, attempt, scene, stages, chain);
    chain.tasks += 1;
    return { ...place, story: story.name, when, stages: [...stages], got };
  });
  lab.evidence('outcomes.json', seen);
  for (const chain of chains) await asItWas(lab, chain.subject, chain.kept);
}

/** The first story at each of its writes, the others at each kind of write that none before them has. */
function everyBoundary(walked: readonly { story: Story; places: Place[]; undisturbed: string }[]): Attempt[] {
  const known = new Set<string>();
  return walked.flatMap(({ story, places, undisturbed }, index) => {
    const chosen = places.filter(({ label, nth }) => index === 0 || (nth === 1 && !known.has(label)));
    for (const { label } of places) known.add(label);
    return chosen.flatMap((place) =>
      (['before', 'after'] as const).map((when) => ({ story, place, when, undisturbed })),
    );
  });
}

/** After the restart: one task at most, its outcome, its log, its prompts. Resolves with the outcome. */
async function recovered(
  lab: CaseLab,
  { story, place, when, undisturbed }: Attempt,
  scene: Scene,
  stages: ReadonlySet<Stage>,
  chain: { kept: Kept[]; tasks: number },
): Promise<string> {
  const at = `${story.name}, killed ${when} "${place.label}" (${place.nth})`;
  const { probe } = scene;
  const acknowledged = scene.taskId;
  const counts = [...stages].map((stage) => chain.tasks + (stage === 'none' ? 0 : 1));
  const total = await totalOf(probe);
  lab.expect(
    total === undefined || counts.includes(total),
    () => `${at}: ${Number(total) - chain.tasks} tasks after the restart`,
  );
  if (acknowledged !== undefined) taskOf(await probe.get(acknowledged), `${at}: GetTask of ${acknowledged}`);

  // The same bytes: the one task, or where there is none the first one.
  if (stages.has('none')) await releaseAll(scene);
  await create(scene);
  lab.expect(
    acknowledged === undefined || acknowledged === scene.taskId,
    `${at}: the same create gives ${scene.taskId} beside ${acknowledged}`,
  );
  const { envelope, ledger } = await keep(scene, chain.kept);
  const got = outcomeOf(envelope);
  const wanted = [...stages].map((stage) => OUTCOMES[stage] ?? undisturbed);
  lab.expect(wanted.includes(got), `${at}: the task ends ${got}, not ${wanted.join(' or ')}`);
  await sound(lab, scene, envelope, at);
  const again = String(
    taskOf(await probe.create(scene.request, story.options), `${at}: the create again`).id,
  );
  lab.expect(again === scene.taskId, `${at}: a second retry gives ${again} beside ${scene.taskId}`);
  const now = await totalOf(probe);
  lab.expect(
    now === undefined || now === chain.tasks + 1,
    () => `${at}: one request made ${Number(now) - chain.tasks} tasks`,
  );

  const prompts = ledger.filter(({ kind }) => kind === 'prompt').length;
  const most = stages.has('dispatched') || stages.has('ended') || stages.has('none') ? 1 : 0;
  lab.expect(prompts <= most, `${at}: the agent was prompted ${prompts} times, not ${most} at most`);
  return got;
}

/** Section 5, Restart; `none` and `ended` end as they do without a crash. */
const OUTCOMES: Readonly<Partial<Record<Stage, string>>> = {
  admitted: 'failed EXECUTOR_RESTARTED',
  cancelled: 'cancelled',
  expired: 'expired DEADLINE_EXCEEDED',
  dispatched: 'unknown EFFECT_UNKNOWN',
};

function outcomeOf(envelope: Json): string {
  const code = (envelope.error as { code?: string } | null)?.code;
  return [String(envelope.status), ...(code === undefined ? [] : [code])].join(' ');
}

/** Undefined on a binding without a verb for it: there the audit is read once for all, in the end. */
async function totalOf(probe: Probe): Promise<number | undefined> {
  return probe.list && Number(taskOf(await probe.list(), 'ListTasks').totalSize);
}

/** The task's end, remembered for the end of the case. */
async function keep(
  { probe, script, executor, taskId = '' }: Scene,
  kept: Kept[],
): Promise<{ envelope: Json; ledger: LedgerEntry[] }> {
  const envelope = resultOf(await ended(probe, taskId)) ?? {};
  kept.push({ id: taskId, script, envelope });
  return { envelope, ledger: await executor.holds.ledger(script) };
}

interface Page {
  events: Omit<Seen, 'session'>[];
  next: string;
  floor?: { head: Digest };
}

/** The signature verifies with a stock library, and the log leads to the signed head, from its floor where it was trimmed. */
async function sound(lab: CaseLab, scene: Scene, envelope: Json, at: string): Promise<void> {
  const { probe, executor, taskId = '' } = scene;
  lab.expect(await verifyResult(envelope, executor.resultKeys), `${at}: the result does not verify`);
  const task = taskOf(await probe.get(taskId, { cursor: '0' }), `${at}: GetTask with a cursor`);
  // Of one answer: this executor may be trimming at this very moment.
  const { floor, events, next } = (task.metadata as Json)[KEY.events] as Page;
  const session = 'after the restart';
  const rest = next === '' ? [] : await tail(probe, taskId, next, session);
  const seen = [...events.map((event) => ({ session, ...event })), ...rest];
  if (floor === undefined) return lab.holds(finished(seen, envelope), `${at}: the log`);
  const head = headAfter(floor.head, seen.at(-1)?.event);
  const signed = (envelope.event_log as { head: string }).head;
  lab.expect(seen.length === 1 && head === signed, `${at}: the floor does not lead to the signed head`);
}

/** Through all later kills and restarts: the same signed result, and nothing more from an agent once it was there. */
async function asItWas(lab: CaseLab, { executor }: Subject, kept: readonly Kept[]): Promise<void> {
  const probe = executor.probe();
  if (probe.list === undefined) lab.holds(requestsTwice(await auditOf(executor, probe)), 'the audit');
  const ledger = await executor.holds.ledger();
  lab.evidence(
    `ledger-${executor.address().port}.json`,
    ledger.filter(({ kind }) => kind !== 'beat'),
  );
  for (const { id, script, envelope } of kept) {
    const now = resultOf(taskOf(await probe.get(id), `${id} at the end`));
    lab.expect(
      JSON.stringify(now) === JSON.stringify(envelope),
      `${script}: the result of ${id} has changed`,
    );
    const own = ledger.filter((entry) => entry.case === script);
    const over = Date.parse(String(envelope.signed_at));
    const late = own.find(({ at }) => Number(at) > over);
    lab.expect(
      late === undefined,
      () =>
        `${script}: the agent writes ${String(late?.kind)} ${Number(late?.at) - over} ms after the end of its task`,
    );
    const prompts = own.filter(({ kind }) => kind === 'prompt').length;
    lab.expect(prompts <= 1, `${script}: prompted ${prompts} times in the end`);
  }
}

export const suite: Suite<CaseLab> = {
  criterion: 'RPL-15',
  cases: () => [
    {
      name: 'every-boundary',
      estimateMs: 20_000,
      deadlineMs: 240_000,
      needs: ['kill', 'start', 'boundaries'],
      run: boundaries,
    },
  ],
};
