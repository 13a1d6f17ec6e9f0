/** PRF-01: the profile is thin: what it adds to A2A, counted on the wire, and compared with what was last decided. */
import type { Link } from '../../src/harness/lab/ports.js';
import { mustSentences, readBaseline } from '../../src/harness/profile-size/baseline.js';
import { httpExchanges } from '../../src/harness/profile-size/http-exchanges.js';
import { Measure } from '../../src/harness/profile-size/measure.js';
import {
  disagreements,
  publishedSize,
  readSchemas,
  together,
} from '../../src/harness/profile-size/published.js';
import { aboveThreshold, grownSince, type Size, sentence } from '../../src/harness/profile-size/size.js';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, taskOf } from '../../src/harness/run/observe.js';
import { AFTER } from '../../src/harness/run/story.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Suite } from '../../src/harness/suite.js';
import type { CallOptions } from '../../src/harness/wire/probe.js';
import { type WireRequest, wireMessage } from '../../src/harness/wire/request.js';

/** What a story must have shown for its counts to mean anything. */
const SEEN = ['request', 'event', 'events', 'cancel', 'result', 'owner'];
const LEAST_EXCHANGES = 30;

/** The reference coordinator's own words: a delegation from beginning to end, and one that it cancels. */
async function coordinated(lab: CaseLab, executor: ExecutorSubject, link: Link): Promise<void> {
  const coordinator = lab.coordinator();
  const key = executor.gate.keyFile;
  const whole = lab.script(executor, 'c', [...AFTER, 'ask edit file', 'say done']);
  await coordinator.run('delegate', lab.job(executor, key, whole, link.address)).exit;
  const stopped = lab.job(executor, key, lab.script(executor, 'x', ['say a', 'hold never']), link.address);
  const run = coordinator.run('delegate', stopped);
  await executor.holds.waiting(lab.scriptId('x'), 'never');
  await coordinator.run('cancel', stopped).exit;
  await run.exit;
}

/** Every operation of the binding, every kind of answer, and the refusals that a well-formed client can meet. */
async function probed(lab: CaseLab, executor: ExecutorSubject, link: Link): Promise<void> {
  const probe = executor.probe();
  const via: CallOptions = { via: link.address };
  const full = everything(lab.script(executor, 'p', [...AFTER]));
  const streamed = probe.createStreaming(lab.script(executor, 's', ['say a', 'say b']), via);
  const id = String(taskOf(await probe.create(full, via), 'the create').id);
  await ended(probe, id);
  await streamed.ended;
  taskOf(await probe.get(id, { ...via, cursor: '0' }), 'GetTask from the beginning');

  const held = lab.script(executor, 'h', ['say a', 'hold never']);
  const running = String(taskOf(await probe.create(held, via), 'the create').id);
  await executor.holds.waiting(lab.scriptId('h'), 'never');
  const live = probe.subscribe(running, via);
  await live.until((frames) => frames.length > 0);
  for (const { call } of probe.operations(running, lab.script(executor, 'o', ['say x']))) await call(via);
  await live.ended;

  const bad: WireRequest = { ...held, request_id: `${held.request_id}-2` };
  const refusals: [WireRequest, CallOptions][] = [
    [{ ...held, deadline_ms: 59_999 }, {}],
    [bad, {}],
    [lab.script(executor, 'old', [], { issued_at: new Date(0).toISOString() }), {}],
    [lab.script(executor, 'early', [], { issued_at: new Date(Date.now() + 3_600_000).toISOString() }), {}],
    [{ ...bad, target_peer: 'somebody-else' }, {}],
    [{ ...bad, deadline_ms: 0 }, {}],
    [lab.script(executor, 'n', [], { capabilities: ['net:fetch'] }), { cap: ['net:fetch'] }],
    [bad, { token: null }],
    [bad, { extensions: false }],
    [bad, { version: '9.9' }],
  ];
  for (const [request, options] of refusals) await probe.create(request, { ...via, ...options });
  await probe.get('no-such-task', via);
  await probe.get(id, { ...via, cursor: 'no-such-cursor' });
  await probe.cancel(id, via);
}

/** With each optional member that there is. */
function everything(request: WireRequest): WireRequest {
  return {
    ...request,
    idempotency_key: request.request_id,
    task_path: '/root/measured',
    budget: { max_output_bytes: 256 * 1024, max_runtime_ms: 60_000 },
  };
}

/** The members without any one of which a create is refused. */
async function required(lab: CaseLab, executor: ExecutorSubject): Promise<string[]> {
  const probe = executor.probe();
  const members = Object.keys(everything(lab.script(executor, 'm', [])));
  const refused: string[] = [];
  for (const member of members) {
    lab.attempt();
    const request = everything(lab.script(executor, `m-${member}`, ['say x']));
    delete request[member];
    const message = member === 'task' ? { ...wireMessage(request), parts: [] } : wireMessage(request);
    const { error } = await probe.create(request, { message });
    if (error !== undefined) refused.push(member);
  }
  return refused;
}

async function measured(lab: CaseLab, executor: ExecutorSubject): Promise<Size> {
  const link = await lab.link(executor, 'measured');
  await Promise.all([coordinated(lab, executor, link), probed(lab, executor, link)]);
  const measure = new Measure();
  measure.card(await executor.probe().card());
  const exchanges = httpExchanges(link.tap.connections);
  for (const exchange of exchanges) measure.exchange(exchange);
  lab.expect(
    exchanges.length >= LEAST_EXCHANGES,
    `only ${exchanges.length} exchanges were captured: they say too little`,
  );
  const size = measure.size(await required(lab, executor));
  const musts = mustSentences();
  return musts === undefined ? size : { ...size, must_sentences: musts };
}

async function thin(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  const published = publishedSize(readSchemas());
  const seen = await measured(lab, executor);
  const size = together(published, seen);
  lab.evidence('size.json', size);
  lab.evidence('size.txt', `${sentence(size)}\n`);
  const unseen = SEEN.filter((key) => !seen.metadata_keys.includes(`EXT/${key}`));
  lab.holds(
    unseen.map((key) => `EXT/${key} was never on the wire`),
    'the capture',
  );
  lab.holds(disagreements(published, seen), 'the wire and the published schemas');
  lab.holds(aboveThreshold(size), 'the profile is not thin');
  lab.holds(
    grownSince(readBaseline().size, size),
    'the profile has grown, which takes a decision page and a new reports/profile-size.json',
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-01',
  // Through a relay the same bytes travel inside a second TLS, whose secrets are the peers' own: there is nothing to count.
  // What it counts is added to A2A, and a run of OAB alone has nothing to count.
  cases: ({ binding, topology }) =>
    topology === 'direct' && binding !== 'OAB'
      ? [{ name: 'counted', estimateMs: 3500, deadlineMs: 60_000, run: thin }]
      : [],
};
