import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { EXT } from '../../profile/names.js';
import { atCheckout } from '../subjects/paths.js';
import type { Json } from '../wire/probe.js';
import { countMusts, readBaseline } from './baseline.js';
import type { HttpExchange } from './http-exchanges.js';
import { Measure } from './measure.js';
import { aboveThreshold, grownSince, type Size, sentence } from './size.js';

/** A story as short as it may be: a card, a create, and the Task that answers it. */
interface Told {
  card: Json;
  line: string;
  headers: Record<string, string>;
  method: string;
  params: Json;
  task: Json;
  error?: Json;
}

const REQUIRED = ['request_id', 'task'];

const story = (): Told => ({
  card: { name: 'b', capabilities: { extensions: [{ uri: EXT, params: { maxDepth: 1 } }] } },
  line: 'POST / HTTP/1.1',
  headers: { host: 'b', 'oab-cursor': '0' },
  method: 'SendMessage',
  params: {
    message: {
      role: 'ROLE_USER',
      parts: [{ text: 't' }],
      metadata: { [`${EXT}/request`]: { request_id: 'r' } },
    },
  },
  task: {
    id: 't',
    status: { state: 'TASK_STATE_WORKING' },
    metadata: { [`${EXT}/event`]: { sequence: 1 }, [`${EXT}/result`]: { status: 'completed', error: null } },
  },
});

function sizeOf({ card, line, headers, method, params, task, error }: Told): Size {
  const measure = new Measure();
  measure.card(card);
  const exchange: HttpExchange = {
    request: { line, headers, documents: [{ jsonrpc: '2.0', id: 1, method, params }] },
    answer: {
      line: 'HTTP/1.1 200 OK',
      headers: {},
      documents: [{ jsonrpc: '2.0', id: 1, ...(error === undefined ? { result: { task } } : { error }) }],
    },
  };
  measure.exchange(exchange);
  return measure.size(REQUIRED);
}

const metadata = (held: Json) => held.metadata as Record<string, Json>;
const message = ({ params }: Told) => params.message as Json;

/** One addition each, and the figure that must move by one, with what is found. */
const ADDITIONS: [string, (told: Told) => void, keyof Size, string][] = [
  ['a second extension', ({ card }) => extensions(card).push({ uri: 'x:y' }), 'extensions', 'x:y'],
  ['a method', (told) => Object.assign(told, { method: 'Replay' }), 'methods', 'Replay'],
  [
    'an endpoint',
    (told) => Object.assign(told, { line: 'GET /events HTTP/1.1' }),
    'endpoints',
    'GET /events',
  ],
  [
    'a state',
    ({ task }) => Object.assign(task, { status: { state: 'TASK_STATE_EXPIRED' } }),
    'enum_values',
    'TaskState TASK_STATE_EXPIRED',
  ],
  ['a role', (told) => Object.assign(message(told), { role: 'ROLE_OAB' }), 'enum_values', 'Role ROLE_OAB'],
  [
    'a code',
    (told) => Object.assign(told, { error: { code: -32042, message: 'm' } }),
    'error_codes',
    '-32042',
  ],
  [
    'a reason of A2A',
    (told) => Object.assign(told, { error: { code: -32602, message: 'm', data: [{ reason: 'OAB' }] } }),
    'enum_values',
    'ErrorReason OAB',
  ],
  [
    'a reason of ours',
    (told) =>
      Object.assign(told, {
        error: { code: -32602, message: 'm', data: [{ metadata: { oabReason: 'NEW' } }] },
      }),
    'reasons',
    'NEW',
  ],
  ['a field of a Task', ({ task }) => Object.assign(task, { priority: 1 }), 'core_members', 'Task.priority'],
  ['a field of the card', ({ card }) => Object.assign(card, { oab: 1 }), 'core_members', 'AgentCard.oab'],
  [
    'a service parameter',
    ({ headers }) => Object.assign(headers, { 'oab-trace': '1' }),
    'service_parameters',
    'oab-trace',
  ],
  [
    'a metadata key',
    ({ task }) => Object.assign(metadata(task), { [`${EXT}/trace`]: 'on' }),
    'metadata_keys',
    'EXT/trace',
  ],
  [
    'a foreign metadata key',
    (told) => Object.assign(metadata(message(told)), { trace: 'on' }),
    'metadata_keys',
    'trace',
  ],
  [
    'a member of a request',
    (told) => Object.assign(metadata(message(told))[`${EXT}/request`] ?? {}, { priority: 1 }),
    'request_optional',
    'priority',
  ],
  [
    'a member of a result',
    ({ task }) => Object.assign(metadata(task)[`${EXT}/result`] ?? {}, { cost: 1 }),
    'result_required',
    'cost',
  ],
  [
    'a member below a result',
    ({ task }) => Object.assign(metadata(task)[`${EXT}/result`] ?? {}, { error: { hint: 'h' } }),
    'nested_members',
    'EXT/result.error.hint',
  ],
  [
    'a member of an event',
    ({ task }) => Object.assign(metadata(task)[`${EXT}/event`] ?? {}, { host: 'h' }),
    'nested_members',
    'EXT/event.host',
  ],
  [
    'a parameter of the card',
    ({ card }) => Object.assign(extensions(card)[0]?.params ?? {}, { more: 1 }),
    'card_params',
    'more',
  ],
];

function extensions(card: Json): { uri: string; params?: Json }[] {
  return (card.capabilities as { extensions: { uri: string; params?: Json }[] }).extensions;
}

describe('the size of the profile', () => {
  for (const [what, add, figure, found] of ADDITIONS) {
    it(`moves by ${what}`, () => {
      const told = story();
      const before = sizeOf(told);
      add(told);
      const after = sizeOf(told);
      assert.ok((after[figure] as string[]).includes(found), `${figure} is ${String(after[figure])}`);
      assert.ok(!(before[figure] as string[]).includes(found));
      assert.ok(
        grownSince(before, after).some((sentence) => sentence.includes(found)),
        grownSince(before, after).join('; '),
      );
      assert.deepEqual(grownSince(before, before), []);
      assert.ok(grownSince({}, after).some((sentence) => sentence.includes(found)));
    });
  }

  it('is above its thresholds by one more of what may be added, or by one of what may not', () => {
    const { size } = readBaseline();
    assert.deepEqual(aboveThreshold(size), []);
    for (const name of [
      'extensions',
      'methods',
      'endpoints',
      'enum_values',
      'error_codes',
      'core_members',
      'service_parameters',
      'request_required',
      'result_required',
    ] as const)
      assert.equal(aboveThreshold({ ...size, [name]: [...size[name], 'one more'] }).length, 1, name);
  });

  it('counts the sentences that say MUST', () => {
    assert.equal(countMusts('A peer MUST. It MUST NOT, and MUST not again. It may.\n\nThey MUST'), 3);
    assert.ok(
      grownSince(
        { ...readBaseline().size, must_sentences: 1 },
        { ...readBaseline().size, must_sentences: 2 },
      )[0]?.includes('MUST'),
    );
  });

  it('is decided on a page that states it: a baseline that grows takes a page with other figures', () => {
    const { decided_in, size } = readBaseline();
    const page = atCheckout(decided_in);
    assert.match(decided_in, /^docs\/decisions\/\d{4}-[\w-]+\.md$/);
    assert.ok(existsSync(page), `${decided_in} does not exist`);
    assert.ok(
      readFileSync(page, 'utf8').includes(sentence(size)),
      `${decided_in} does not say: ${sentence(size)}`,
    );
  });
});
