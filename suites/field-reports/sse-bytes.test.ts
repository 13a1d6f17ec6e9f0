/** Public reports about the bytes of event streams: a harness that writes them, a coordinator process that reads them. */
import assert from 'node:assert/strict';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import type { FakeParts } from '../../src/harness/subjects/fake-parts.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { wireRequest } from '../../src/harness/wire/request.js';
import { BINDINGS } from '../../src/profile/names.js';
import { sharingAnExecutor } from './field-report.js';
import { delegateTo } from './to-fake.js';

const TEXT = 'a task for the harness itself';

/** What the coordinator printed of the events that came live, and its result. */
async function read(lab: CaseLab, encode: NonNullable<FakeParts['encode']>, change: Partial<FakeParts> = {}) {
  const { run, fake } = await delegateTo(
    lab,
    {
      live: (events) => events,
      encode,
      ...change,
    },
    wireRequest('oab-b', TEXT),
  );
  const result = await run.result;
  const events = run.lines.filter(({ type }) => type === 'event');
  const pages = fake.received.filter(({ rpc, cursor }) => rpc === 'GetTask' && cursor !== undefined).length;
  return { result, events, pages };
}

/** Complete over the stream alone: no page had to be read. */
function heardAll({ result, events, pages }: Awaited<ReturnType<typeof read>>): void {
  assert.deepEqual([result?.outcome, result?.verified, result?.observation], ['completed', true, 'complete']);
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5],
  );
  // The first event stands in the Task, and is read as a page; every other one came live.
  assert.ok(pages <= 1, `${pages} pages were read`);
}

const event = (text: string, end = '\n') => `data: ${text}${end}${end}`;

/** What an item is on the wire: an event of a stream, or a frame. */
const itemOn = ({ framer }: CaseLab, text: string) => (framer === 'sse' ? event(text) : text);

/** The object with its last member once more before it, in another spelling and with another value. */
function withAnother(text: string): string {
  const name = Object.keys(JSON.parse(text) as Json).at(-1) as string;
  const spelt = `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`;
  return text.replace('{', `{"${spelt}":{"task":{}},`);
}

/** The text with each byte of the word in a piece of its own. */
function pieces(text: string, word: string): Buffer[] {
  const at = text.indexOf(word);
  if (at === -1) return [Buffer.from(text)];
  const bytes = [...Buffer.from(word)].map((byte) => Buffer.from([byte]));
  return [Buffer.from(text.slice(0, at)), ...bytes, Buffer.from(text.slice(at + word.length))];
}

describe('public reports: bytes of event streams', () => {
  const report = sharingAnExecutor(['JSONRPC', 'HTTP+JSON']);

  for (const [name, encode] of [
    ['CRLF', (items: string[]) => items.map((text) => event(text, '\r\n'))],
    ['lone CR', (items: string[]) => items.map((text) => event(text, '\r'))],
    ['a mixture', (items: string[]) => items.map((text, at) => event(text, ['\n', '\r\n', '\r'][at % 3]))],
    [
      'CRLF cut between two writes',
      (items: string[]) => items.flatMap((text) => [`data: ${text}\r`, '\n\r', '\n']),
    ],
    [
      'a line end inside the data, cut in the middle',
      (items: string[]) =>
        items.flatMap((text) => [`data: ${text.slice(0, 1)}\r`, `\ndata: ${text.slice(1)}\r\n`, '\r\n']),
    ],
  ] as const) {
    report('OPEN-20', `${name}: the same events`, async (lab) => heardAll(await read(lab, encode)));
  }

  for (const [id, what, said] of [
    ['OPEN-21', 'characters cut anywhere arrive whole', '日€😀é'],
    ['OPEN-47', 'what other readers take for a line end is text', 'a\u2028b\u2029c\u0085d\fe\vf'],
  ] as const)
    report(id, what, async (lab) => {
      // As JSON spells it: two of them must be escaped there.
      const word = JSON.stringify(said).slice(1, -1);
      const { result, events } = await read(
        lab,
        (items) => items.flatMap((text) => pieces(event(text), word)),
        {
          live: (all) =>
            all.map((one) =>
              'artifactUpdate' in one.body
                ? {
                    ...one,
                    body: {
                      artifactUpdate: {
                        ...one.body.artifactUpdate,
                        artifact: { ...one.body.artifactUpdate.artifact, parts: [{ text: said }] },
                      },
                    },
                  }
                : one,
            ),
        },
      );
      const texts = events
        .map((line) => JSON.stringify(line))
        .filter((text) => text.includes('artifactUpdate'));
      assert.ok(
        texts.length > 0 && texts.every((text) => text.includes(word) && !text.includes('\ufffd')),
        texts.join(),
      );
      // It was altered on its way: the log itself is read once more, and holds.
      assert.equal(result?.outcome, 'completed');
    });

  report(
    'OPEN-22',
    'comments, unknown fields, data in several lines, no space, and an end in mid-event',
    async (lab) =>
      heardAll(
        await read(lab, (items) => [
          ': hb\n\n:\n\n',
          ...items.flatMap((text, at) => {
            // A line may end wherever JSON may have white space.
            const [head, rest] = [text.slice(0, 1), text.slice(1)];
            return at % 2 === 0
              ? [`event: message\nid: ${at}\ndata:${head}\ndata: ${rest}\n\n`]
              : [`foo: bar\nretry: 1\n${event(text)}`];
          }),
          'data: {"trunc',
        ]),
      ),
  );

  report(
    'OPEN-39',
    'an item with a member twice is no item, whichever of the two another reader would take',
    async (lab) => {
      const { result, events } = await read(lab, (items) =>
        items.map((text, at) => itemOn(lab, at === 2 ? withAnother(text) : text)),
      );
      assert.deepEqual(
        [result?.outcome, result?.verified, result?.observation],
        ['completed', true, 'complete'],
      );
      assert.deepEqual(
        events.map(({ sequence }) => sequence),
        [1, 2, 3, 4, 5],
        'the log itself was read, by pages',
      );
    },
    { on: BINDINGS },
  );

  for (const size of [65_536, 1_048_577, 8 * 1024 * 1024]) {
    report(
      'OPEN-23',
      `an event of ${size} bytes is read, or its limit is named and the log read by pages`,
      async (lab) => {
        const { result, events } = await read(lab, (items) => {
          const padding = ' '.repeat(size);
          return items.map((text, at) => itemOn(lab, at === 2 ? `${text.slice(0, -1)}${padding}}` : text));
        });
        assert.deepEqual(
          [result?.outcome, result?.verified, result?.observation],
          ['completed', true, 'complete'],
        );
        assert.deepEqual(
          (events as Json[]).map(({ sequence }) => sequence),
          [1, 2, 3, 4, 5],
          'none lost, none twice',
        );
      },
      { on: BINDINGS },
    );
  }
});
