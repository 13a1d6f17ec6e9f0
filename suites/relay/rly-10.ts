/** RLY-10: nothing that the peers say to each other is in the relay's memory, logs or captures, in whatever form. */
import { randomBytes } from 'node:crypto';
import { Undetermined, Violation } from '../../src/harness/check.js';
import type { Link } from '../../src/harness/lab/ports.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { isTerminalFrame, tail, taskOf } from '../../src/harness/run/observe.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Suite } from '../../src/harness/suite.js';
import { type WireRequest, wireDigest } from '../../src/harness/wire/request.js';
import { RelaySearch } from './relay-search.js';

const HOLD = 'go';
/** SUBMITTED, WORKING, what the agent said. */
const SAID = 3;
const SECRETS = ['task text', 'event text', 'agent token', 'any agent token'] as const;

/** Nothing of it is anywhere else: not in a configuration, not in an environment, not on a command line. */
const word = (kind: string) => `${kind}-${randomBytes(12).toString('hex')}`;

function relayOf({ relay }: ExecutorSubject) {
  if (relay === undefined) throw new Violation('the executor of this cell has no relay');
  return relay;
}

/** A task with a word that is only in its text, and one that is only in its events: the agent puts it together. */
function secretTask(lab: CaseLab, executor: ExecutorSubject, part: string, search: RelaySearch): WireRequest {
  const [asked, said] = [word('asked'), word('said')];
  const request = lab.script(executor, part, [
    `# ${asked}`,
    `say ${said}`,
    `hold ${HOLD}`,
    'tool read README.md',
  ]);
  search.add('task text', asked);
  search.add('event text', `${said} ${/^mark (\S+)$/m.exec(request.task)?.[1]}`);
  return request;
}

/** A probe and a coordinator delegate through the relay; it is looked into while both tasks run, and after their end. */
async function delegated(lab: CaseLab, executor: ExecutorSubject, link: Link, search: RelaySearch) {
  const probe = executor.probe();
  const call = async (req?: string) => {
    const token = await executor.gate.token(['repo:read'], req);
    search.addToken(token);
    return { via: link.address, token };
  };
  const request = secretTask(lab, executor, 'probe', search);
  const live = probe.createStreaming(request, await call(wireDigest(request)));
  const { keyFile } = executor.gate;
  const job = lab.job(executor, keyFile, secretTask(lab, executor, 'coordinator', search), link.address);
  const run = lab.coordinator().run('delegate', job);
  for (const part of ['probe', 'coordinator']) await executor.holds.waiting(lab.scriptId(part), HOLD);
  await live.until((frames) => (frames.at(-1)?.sequence ?? 0) >= SAID);
  lab.attempt();
  await search.lookIntoMemory();

  for (const part of ['probe', 'coordinator']) await executor.holds.release(lab.scriptId(part), HOLD);
  await live.until((frames) => frames.some(isTerminalFrame));
  const id = String((live.frames[0]?.json.task as { id?: string } | undefined)?.id);
  taskOf(await probe.get(id, await call()), 'GetTask');
  const events = await tail(probe, id, '0', 'tail', await call());
  const result = await run.result;
  lab.attempt();
  await search.lookIntoMemory();
  search.lookIntoFiles([link, relayOf(executor).executorLink]);
  lab.evidence('events.json', events);
  lab.expect(result?.outcome === 'completed', `the coordinator says ${JSON.stringify(result)}`);
}

async function searched(lab: CaseLab, relayDefect?: string): Promise<RelaySearch> {
  const executor = await lab.fresh({}, relayDefect === undefined ? {} : { relayDefect });
  const { host, port } = new URL(executor.url);
  const search = new RelaySearch(relayOf(executor), `${host}:${port === '' ? 443 : port}`);
  await delegated(lab, executor, await lab.link(executor, 'coordinator-relay'), search);
  return search;
}

async function blind(lab: CaseLab): Promise<void> {
  const search = await searched(lab);
  const found = (['memory', 'logs', 'captures'] as const).flatMap((place) => search.found(place));
  lab.expect(found.length === 0, () => `the relay is not blind: ${found.join(', ')}`);
  search.mustSee();
}

/** The same search, where it must find: a relay that has the executor's key and ends the TLS between the peers. */
async function seeing(lab: CaseLab): Promise<void> {
  const search = await searched(lab, 'ends-their-tls');
  const found = search.found('memory');
  lab.evidence('found.json', found);
  const missed = SECRETS.filter((secret) => !found.some((name) => name.startsWith(`${secret} (`)));
  if (missed.length > 0)
    throw new Undetermined(`in a relay that ends TLS the search does not find: ${missed.join(', ')}`);
}

export const suite: Suite<CaseLab> = {
  criterion: 'RLY-10',
  cases: () => [
    { name: 'blind', estimateMs: 3000, deadlineMs: 60_000, run: blind },
    { name: 'control', estimateMs: 3000, deadlineMs: 60_000, run: seeing },
  ],
};
