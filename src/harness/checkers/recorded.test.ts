import assert from 'node:assert/strict';
import { firstHead, headAfter } from '../../profile/chain.js';
import type { Digest } from '../../profile/model.js';
import { KEY } from '../../profile/names.js';
import type { Json } from '../wire/probe.js';
import { Canaries } from './canaries.js';
import { Findings, type Rule } from './finding.js';
import type { Asked } from './results.js';
import { streamOrder } from './stream-order.js';
import { SubjectHistory } from './subject-history.js';

const DIGEST: Digest = `sha256:${'a'.repeat(64)}`;
const ASKED: Asked = {
  caller: 'gate',
  requestId: 'r',
  digest: DIGEST,
  capabilities: ['repo:read', 'exec'],
  cap: ['repo:read'],
};
const AT = '2026-12-01T00:00:00.000Z';
const status = (state: string, more: Json = {}, taskId = 't'): Json => ({
  statusUpdate: { taskId, contextId: 'c', status: { state: `TASK_STATE_${state}`, timestamp: AT }, ...more },
});
const artifact = (text: string): Json => ({
  artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text }] } },
});
const LOG = [status('SUBMITTED'), status('WORKING'), artifact('one'), artifact('two'), status('COMPLETED')];
const headOf = (events: readonly Json[]) =>
  events.reduce<Digest>((head, event) => headAfter(head, event), firstHead('t', DIGEST));
const envelope = (more: Json = {}): Json => ({
  task_id: 't',
  request_id: 'r',
  request_digest: DIGEST,
  executed_by: 'oab-b',
  caller: 'gate',
  status: 'completed',
  effective_capabilities: ['repo:read'],
  event_log: { last_sequence: LOG.length, head: headOf(LOG) },
  ...more,
});
/** The Task after so many events. */
const task = (sequence: number, more: Json = {}, state?: string): Json => ({
  id: 't',
  status: {
    state: `TASK_STATE_${state ?? ['SUBMITTED', 'WORKING', 'WORKING', 'WORKING', 'COMPLETED'][sequence - 1]}`,
  },
  metadata: {
    [KEY.event]: { turn_id: 'u', sequence, cursor: `c${sequence}`, head: headOf(LOG.slice(0, sequence)) },
    ...(sequence === LOG.length ? { [KEY.result]: envelope() } : {}),
    ...more,
  },
});
const paged = (from: number, to: number, page: Json = {}, at = LOG.length): Json =>
  task(at, {
    [KEY.events]: {
      events: LOG.slice(from, to).map((event, index) => ({
        sequence: from + index + 1,
        cursor: `c${from + index + 1}`,
        event,
      })),
      next: to === at ? '' : `c${to}`,
      complete: true,
      ...page,
    },
  });

type Act = (history: SubjectHistory, read: ReturnType<typeof reader>, canaries: Canaries) => void;

/** What is found when `act` has put something into a history. */
function found(
  act: (history: SubjectHistory, read: ReturnType<typeof reader>, canaries: Canaries) => void,
): Rule[] {
  const findings = new Findings();
  const report = findings.for('executor');
  const canaries = new Canaries();
  const history = new SubjectHistory({ name: 'executor', peer: 'oab-b', windowMs: 1000 }, report, canaries);
  act(history, reader(history, report), canaries);
  history.finish();
  return findings.all.map(({ rule }) => rule);
}
const reader =
  (history: SubjectHistory, report: Parameters<typeof streamOrder>[1]) =>
  (name: string, first: number, sequences: readonly number[], events = LOG, floor = 0) => {
    const take = streamOrder(history, report, name, { floor });
    take({ json: { task: task(first) }, sequence: first, cursor: `c${first}` });
    for (const sequence of sequences)
      take({ json: events[sequence - 1] as Json, sequence, cursor: `c${sequence}` });
  };

describe('the checkers over what a case recorded', () => {
  it('find nothing in an honest history, however it was received', () => {
    const rules = found((history, read) => {
      history.created(ASKED, task(1), 0);
      history.created(ASKED, task(2), 500);
      read('one', 1, [2, 3, 4, 5]);
      read('two', 3, [4]);
      history.task('get', task(4));
      history.page('get', paged(0, 2), '0');
      history.page('get', paged(2, 5), 'c2');
      history.page(
        'get',
        paged(4, 5, { complete: false, floor: { sequence: 4, head: headOf(LOG.slice(0, 4)) } }),
        '0',
      );
      history.task('get', paged(0, 5), 4);
      // After its window a request id may serve again.
      history.created(ASKED, { id: 'later' }, 2000);
    });
    assert.deepEqual(rules, []);
  });

  const changed = (sequence: number, event: Json) =>
    LOG.map((one, index) => (index + 1 === sequence ? event : one));
  const again =
    (more: Partial<Asked>, id: string): Act =>
    (h) =>
      h.created({ ...ASKED, ...more }, { id }, 1);
  const created = again({}, 't');
  const get =
    (...given: Parameters<typeof task>): Act =>
    (h) =>
      h.task('get', task(...given));
  const position = (more: Json): Json => ({ [KEY.event]: more });
  const result = (more: Json): Act => get(5, { [KEY.result]: envelope(more) });
  const page =
    (cursor: string, ...given: Parameters<typeof paged>): Act =>
    (h) =>
      h.page('page', paged(...given), cursor);
  const event =
    (sequence: number, json: Json, cursor?: string): Act =>
    (h) =>
      h.event('event', 't', { sequence, cursor }, json);
  const stream =
    (name: string, sequences: number[], ...more: [Json[]?, number?]): Act =>
    (_h, read) =>
      read(name, 1, sequences, ...more);
  const all = page('0', 0, 5);
  const floor = { complete: false, floor: { sequence: 4, head: DIGEST } };
  const placed = (sequence: number) => ({ sequence, cursor: `c${sequence}`, event: LOG[sequence - 1] });
  const VIOLATIONS: [name: string, rule: Rule, ...acts: Act[]][] = [
    ['two tasks of one request', 'exactly-once', created, again({}, 'u')],
    ['one task of two requests', 'exactly-once', created, again({ requestId: 's' }, 't')],
    ['another request under the same id', 'exactly-once', created, again({ digest: 'x' }, 't')],
    ['a hole in a stream', 'order', stream('s', [2, 4])],
    ['a stream that begins late', 'order', stream('s', [3])],
    ['a repetition in a stream', 'order', stream('s', [2, 2])],
    ['a hole in a page', 'order', page('0', 0, 5, { events: [1, 3].map(placed), next: 'c3' })],
    ['a page that begins late', 'order', all, page('c2', 3, 5)],
    ['a last page that is none', 'order', page('0', 0, 3, { next: '' })],
    ['an empty page before the end', 'order', page('0', 0, 0, { next: '' })],
    ['a Task that goes back', 'order', (h) => h.task('get', task(2), 3)],
    ['a stream whose Task goes back', 'order', stream('s', [], LOG, 2)],
    [
      'one sequence with two bodies',
      'one-log',
      stream('a', [2, 3]),
      stream('b', [2, 3], changed(3, artifact('x'))),
    ],
    [
      'one sequence with two cursors',
      'one-log',
      event(2, status('WORKING'), 'c2'),
      event(2, status('WORKING'), 'x'),
    ],
    ['an event of another task', 'one-log', event(2, status('WORKING', {}, 'other'))],
    ['what is no event', 'one-log', event(2, { statusUpdate: { taskId: 't' } })],
    ['a Task in two states', 'one-log', get(2), get(2, {}, 'SUBMITTED')],
    ['a Task that its log does not give', 'one-log', page('0', 0, 2), get(2, {}, 'SUBMITTED')],
    ['a step back', 'lifecycle', stream('s', [2, 3], changed(3, status('SUBMITTED')))],
    ['a beginning that is not SUBMITTED', 'lifecycle', event(1, status('WORKING'))],
    ['REJECTED after WORKING', 'lifecycle', stream('s', [2, 3], changed(3, status('REJECTED')))],
    ['two ends', 'one-terminal', stream('s', [2, 3, 4, 5], changed(3, status('FAILED')))],
    ['something after the end', 'one-terminal', stream('s', [2, 3, 4], changed(3, status('COMPLETED')))],
    ['an end that moves', 'one-terminal', get(5), get(4, {}, 'COMPLETED')],
    [
      'a chain that is not the signed head',
      'chain',
      all,
      result({ event_log: { last_sequence: 5, head: DIGEST } }),
    ],
    [
      'a result that signs too few events',
      'chain',
      result({ event_log: { last_sequence: 4, head: headOf(LOG) } }),
    ],
    [
      'a Task whose head its events do not give',
      'chain',
      created,
      all,
      get(3, position({ sequence: 3, head: DIGEST })),
    ],
    ['a floor whose head the events do not give', 'chain', created, all, page('0', 4, 5, floor)],
    ['two results', 'one-result', get(5), result({ summary: 'x' })],
    ['a result against the core state', 'one-result', result({ status: 'failed' })],
    ['a result of another request', 'one-result', created, result({ request_id: 's' })],
    ['a result of another executor', 'one-result', result({ executed_by: 'oab-c' })],
    ['authority beyond the cap', 'authority', created, result({ effective_capabilities: ['exec'] })],
    [
      'authority beyond the request',
      'authority',
      again({ cap: undefined }, 't'),
      get(1, position({ sequence: 1, effective_capabilities: ['net:fetch'] })),
    ],
  ];
  for (const [name, rule, ...acts] of VIOLATIONS) {
    it(`find ${name}`, () => {
      const rules = found((...given) => {
        for (const act of acts) act(...given);
      });
      assert.ok(rules.includes(rule), `${rules.join(', ') || 'nothing'} in place of ${rule}`);
    });
  }

  it('judge the chain whichever event came first, and leave it when events are missing', () => {
    const last = (h: SubjectHistory, events: readonly Json[], order: readonly number[]) => {
      h.task('get', task(5));
      for (const sequence of order) h.event('s', 't', { sequence }, events[sequence - 1] as Json);
    };
    assert.deepEqual(
      found((h) => last(h, LOG, [5, 3, 1, 4, 2])),
      [],
    );
    assert.ok(found((h) => last(h, changed(4, artifact('x')), [5, 3, 1, 4, 2])).includes('chain'));
    assert.deepEqual(
      found((h) => last(h, changed(4, artifact('x')), [5, 4, 1])),
      [],
    );
  });

  it('hold no more of a log than they were given room for, and then leave its chain alone', () => {
    const long = 'x'.repeat(1024 * 1024);
    const rules = found((history) => {
      // Nobody knows yet where the chain begins: the events wait, until there is no room for more.
      for (let sequence = 1; sequence <= 20; sequence += 1)
        history.event(
          's',
          't',
          { sequence },
          sequence === 1 ? status('SUBMITTED') : artifact(`${sequence}${long}`),
        );
      history.event('s', 't', { sequence: 21 }, status('COMPLETED'));
      history.event('again', 't', { sequence: 7 }, artifact('another'));
      history.envelope('s', 't', envelope({ event_log: { last_sequence: 21, head: DIGEST } }));
    });
    assert.deepEqual(rules, ['one-log']);
  });

  it('tell whose mark came back to whom', () => {
    const [mine, theirs] = [new Canaries().mint(), new Canaries().mint()];
    const seen = (principals: string[], text: string) =>
      found((history, _read, canaries) => {
        canaries.sent('gate', `say ${mine}`);
        canaries.sent('gate-other', `say ${theirs}`);
        history.received(principals, 'get', text);
      });
    assert.deepEqual(seen(['gate'], `"${mine}"`), []);
    assert.deepEqual(seen(['gate'], `"${theirs}"`), ['privacy']);
    assert.deepEqual(seen(['nobody'], mine), ['privacy']);
    assert.deepEqual(seen(['gate', 'gate-other'], theirs), []);
    // One that nobody is known to have sent says nothing.
    assert.deepEqual(seen(['gate'], new Canaries().mint()), []);
  });

  it('count prompts against the requests that could have made one', () => {
    const prompted = (script: string, count: number) =>
      Array.from({ length: count }, () => ({ case: script, kind: 'prompt' }));
    const rules = (count: number, more: (history: SubjectHistory) => void = () => {}) => {
      const findings = new Findings();
      const names = { name: 'e', peer: 'oab-b', windowMs: 1000 };
      const history = new SubjectHistory(names, findings.for('e'), new Canaries());
      history.sent('gate', 'r', 'case: a\nsay x');
      history.sent('gate', 'r', 'case: a\nsay x');
      more(history);
      history.finish([
        ...prompted('a', count),
        ...prompted('of another case', 9),
        { case: 'a', kind: 'effect' },
      ]);
      return findings.all.map(({ rule }) => rule);
    };
    assert.deepEqual(rules(0), []);
    assert.deepEqual(rules(1), []);
    assert.deepEqual(rules(2), ['exactly-once']);
    // The same bytes from another caller are another request; an id whose window has passed makes another task.
    assert.deepEqual(
      rules(2, (history) => history.sent('gate-other', 'r', 'case: a\nsay x')),
      [],
    );
    const renewed = (history: SubjectHistory) => {
      history.created(ASKED, { id: 't' }, 0);
      history.created(ASKED, { id: 'u' }, 2000);
    };
    assert.deepEqual(rules(2, renewed), []);
    assert.deepEqual(rules(3, renewed), ['exactly-once']);
  });

  it('keep what they found within what a person reads', () => {
    const many = found((history) => {
      for (let n = 0; n < 1000; n += 1) history.created(ASKED, { id: `t${n}` }, 0);
    });
    assert.ok(many.length > 1 && many.length <= 32);
  });
});
