/** Public reports about what A2A's bindings over HTTP say of credentials, keys, lists and deadlines; each on both of them. */
import assert from 'node:assert/strict';
import { ended, isTerminalFrame, resultOf, stateOf, taskOf } from '../../src/harness/run/observe.js';
import { list } from '../../src/harness/run/tasks.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { wireRequest } from '../../src/harness/wire/request.js';
import { verifyResult } from '../../src/harness/wire/verify-result.js';
import { KEY } from '../../src/profile/names.js';
import { fieldReport } from './field-report.js';
import { delegateTo } from './to-fake.js';

const HTTP = ['JSONRPC', 'HTTP+JSON'] as const;
const BOTH = { JSONRPC: 'HTTP+JSON', 'HTTP+JSON': 'JSONRPC' } as const;

describe('public reports: the bindings over HTTP', () => {
  for (const binding of HTTP) {
    const cell = { binding, topology: 'direct' } as const;
    const report = (id: string, title: string, run: Parameters<typeof fieldReport>[2]) =>
      fieldReport(id, `${binding}: ${title}`, run, 30_000, cell);

    for (const [what, elsewhere] of [
      ['another host', 'https://evil.lab/'],
      ['another port', 'https://oab-b.lab:8443/'],
      ['our name as a user name', 'https://oab-b.lab@evil.lab/'],
      ['our name in a path', 'https://evil.lab/oab-b.lab/'],
      ['plain HTTP', 'http://oab-b.lab/'],
    ] as const)
      report(
        'OPEN-33',
        `a card that lists ${what} first gets no credential, and nothing else`,
        async (lab) => {
          const { run, fake } = await delegateTo(
            lab,
            {
              card(card) {
                const [own] = card.supportedInterfaces as Json[];
                return { ...card, supportedInterfaces: [{ ...own, url: elsewhere }, own] };
              },
            },
            wireRequest('oab-b', 'a task for the harness itself'),
          );
          const result = await run.result;
          assert.deepEqual([result?.outcome, result?.reason], ['refused', 'NOT_NEGOTIATED']);
          assert.deepEqual(
            fake.received.filter(
              ({ path, authorization }) => authorization || !path.startsWith('/.well-known/'),
            ),
            [],
          );
        },
      );

    report('OPEN-36', 'what was signed verifies as it is sent, and is the same on both', async (lab) => {
      const executor = await lab.fresh({ beside: [BOTH[binding]] });
      const [probe, beside] = [executor.probe(), executor.probe(undefined, undefined, BOTH[binding])];
      // Nothing to say, no effects, an empty summary: what one side may leave out as a default.
      const request = lab.script(executor, 's', ['stop end_turn'], { capabilities: ['repo:read'] });
      const { id } = taskOf(await probe.create(request), 'the create');
      const [ours, theirs] = [await ended(probe, String(id)), await ended(beside, String(id))];
      const envelope = resultOf(ours);
      assert.ok(envelope !== undefined && (await verifyResult(envelope, executor.resultKeys)));
      assert.deepEqual(resultOf(theirs), envelope);
      assert.deepEqual(theirs, ours, 'the Task is the same, member by member');
      assert.equal(await verifyResult({ ...envelope, summary: 'x' }, executor.resultKeys), false);
    });

    report('OPEN-40', 'a result under an unknown key is unknown, and no key is ever fetched', async (lab) => {
      const { run, fake } = await delegateTo(
        lab,
        {
          story(story, { strangerSigns }) {
            const { attestation: _, result_digest: __, ...unsigned } = story.envelope;
            const envelope = strangerSigns(unsigned);
            const metadata = { ...story.task.metadata, [KEY.result]: envelope };
            return { ...story, envelope, task: { ...story.task, metadata } };
          },
        },
        wireRequest('oab-b', 'a task for the harness itself'),
      );
      const result = await run.result;
      assert.deepEqual([result?.outcome, result?.verified], ['unknown', false]);
      const strange = fake.received.filter(
        ({ path, rpc }) => rpc === undefined && path !== '/.well-known/agent-card.json',
      );
      assert.deepEqual(strange, []);
    });

    report('OPEN-43', 'the pages of a list have every task once, whatever comes in between', async (lab) => {
      const executor = await lab.fresh();
      const probe = executor.probe();
      const create = async (part: string) =>
        String(taskOf(await probe.create(lab.script(executor, part, ['say x'])), 'the create').id);
      const ids = await Promise.all(Array.from({ length: 7 }, (_, n) => create(`t${n}`)));
      for (const id of ids) await ended(probe, id);
      const seen: string[] = [];
      for (let token = '', page = 0; page === 0 || token !== ''; page += 1) {
        const query = { pageSize: 2, ...(token !== '' && { pageToken: token }) };
        const answer = taskOf(await list(probe, { query }), 'ListTasks');
        const tasks = answer.tasks as Json[];
        assert.ok(tasks.every((task) => !('artifacts' in task) && !('history' in task)));
        assert.equal(typeof answer.nextPageToken, 'string', 'the last page has a token too');
        assert.equal(answer.totalSize, page === 0 ? 7 : 8);
        seen.push(...tasks.map(({ id }) => String(id)));
        token = String(answer.nextPageToken);
        if (page === 0) await ended(probe, await create('between'));
      }
      assert.deepEqual([...seen].sort(), [...ids].sort());
      for (const query of [{ pageSize: 0 }, { pageSize: 101 }, { pageSize: -1 }, { pageSize: true }]) {
        const { error } = await list(probe, { query });
        assert.deepEqual([error?.code, error?.reason], [-32602, 'MALFORMED'], JSON.stringify(query));
      }
    });

    report('OPEN-44', 'one deadline decides, and everybody is told the same', async (lab) => {
      const executor = await lab.fresh({ beside: [BOTH[binding]] });
      const [probe, beside] = [executor.probe(), executor.probe(undefined, undefined, BOTH[binding])];
      const create = async (part: string, lines: string[], deadline_ms: number) =>
        String(
          taskOf(await probe.create(lab.script(executor, part, lines, { deadline_ms })), 'the create').id,
        );
      const id = await create('short', ['ignore-cancel', 'say a', 'hold never'], 1500);
      const longer = await create('long', ['say a', 'hold go', 'say b'], 60_000);
      const streams = [probe.subscribe(id), beside.subscribe(id)];
      for (const stream of streams) await stream.until((frames) => frames.some(isTerminalFrame));
      const [one, other] = streams.map(({ frames }) => frames.at(-1)?.json);
      assert.deepEqual(one, other);
      const [ours, theirs] = [await ended(probe, id), await ended(beside, id)];
      assert.deepEqual(ours, theirs);
      assert.deepEqual([stateOf(ours), resultOf(ours)?.status], ['TASK_STATE_FAILED', 'expired']);
      // No sweep of another clock has touched the one whose deadline is far.
      assert.equal(stateOf(taskOf(await probe.get(longer), 'GetTask')), 'TASK_STATE_WORKING');
      await executor.holds.release(lab.scriptId('long'), 'go');
      assert.equal(stateOf(await ended(probe, longer)), 'TASK_STATE_COMPLETED');
      assert.deepEqual(taskOf(await probe.get(id), 'GetTask'), ours, 'nothing comes behind the end');
    });
  }
});
