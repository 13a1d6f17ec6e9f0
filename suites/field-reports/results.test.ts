/** Public reports about results that a coordinator read as something else. */
import assert from 'node:assert/strict';
import { ended, resultOf, tail } from '../../src/harness/run/observe.js';
import { wireRequest } from '../../src/harness/wire/request.js';
import type { Outcome } from '../../src/profile/model.js';
import { sharingAnExecutor } from './field-report.js';
import { delegateTo } from './to-fake.js';

describe('public reports: results', () => {
  const report = sharingAnExecutor();

  for (const [script, more, outcome, exit] of [
    [['say looks fine', 'stop refusal'], {}, 'failed', 3],
    [['say looks fine', 'hold never'], { deadline_ms: 700 }, 'expired', 3],
    [['say looks fine', 'stop something_new'], {}, 'unknown', 4],
    [[], {}, 'completed', 0],
  ] as [string[], object, Outcome, number][]) {
    report('OPEN-17', `${outcome} stays ${outcome}, whatever the text beside it says`, async (lab) => {
      const executor = await lab.executor();
      const request = lab.script(executor, 't', script, { ...more });
      const run = lab.coordinator().run('delegate', lab.job(executor, executor.gate.keyFile, request));
      const result = await run.result;
      assert.deepEqual([result?.outcome, result?.verified, await run.exit], [outcome, true, exit]);
    });
  }

  report('OPEN-18', 'pieces of an artifact become one, in order, whoever attached when', async (lab) => {
    const executor = await lab.executor();
    const probe = executor.probe();
    const request = lab.script(executor, 'a', ['say Hello', 'hold go', 'say  world', 'resource x']);
    const run = lab.coordinator().run('delegate', lab.job(executor, executor.gate.keyFile, request));
    const { task_id } = await run.line('accepted');
    await executor.holds.waiting(lab.scriptId('a'), 'go');
    await executor.holds.release(lab.scriptId('a'), 'go');
    const task = await ended(probe, String(task_id));
    const artifacts = task.artifacts as { artifactId: string; parts: { text?: string }[] }[];
    assert.equal(artifacts.length, 2);
    const answer = artifacts.find(({ artifactId }) => artifactId === 'answer');
    assert.match((answer?.parts ?? []).map(({ text = '' }) => text).join('|'), /^Hello [^|]*\| world/);
    const result = await run.result;
    assert.deepEqual(result?.artifacts, artifacts, 'the coordinator has the same bytes');
    const signed = (resultOf(task)?.artifacts ?? []) as { artifact_id: string }[];
    const listed = signed.map(({ artifact_id }) => artifact_id);
    assert.deepEqual(listed.sort(), artifacts.map(({ artifactId }) => artifactId).sort());
    assert.ok((await tail(probe, String(task_id), '0', 'all')).length > 4);
  });

  for (const [form, write] of [
    ['an error object in place of a stream', 'json'],
    ['the same without a content type', 'bare'],
    ['an event stream that ends at once', 'empty'],
    ['the error inside the stream', 'inside'],
  ] as const) {
    report(
      'OPEN-19',
      `${form} is never an empty success`,
      async (lab) => {
        let times = 0;
        const error = {
          code: -32004,
          message: 'x',
          data: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'UNSUPPORTED_OPERATION',
              domain: 'a2a-protocol.org',
            },
          ],
        };
        const { run, fake } = await delegateTo(
          lab,
          {
            answer(method, id, { http: response }) {
              if (method !== 'SubscribeToTask' || response === undefined) return false;
              times += 1;
              const text = JSON.stringify(
                lab.binding === 'HTTP+JSON'
                  ? { error: { code: 400, status: 'FAILED_PRECONDITION', message: 'x', details: error.data } }
                  : { jsonrpc: '2.0', id, error },
              );
              if (write === 'json')
                response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(text);
              else if (write === 'bare') response.writeHead(200).end(text);
              else {
                response.writeHead(200, { 'content-type': 'text/event-stream' });
                // After two empty streams the task turns out to have ended.
                response.end(write === 'inside' || times > 2 ? `data: ${text}\n\n` : '');
              }
              return true;
            },
          },
          wireRequest('oab-b', 'a task for the harness itself'),
        );
        const result = await run.result;
        // Unsupported means ended: the tail was read, and the signed result is what counts.
        assert.deepEqual(
          [result?.outcome, result?.verified, result?.observation],
          ['completed', true, 'complete'],
        );
        assert.ok(fake.received.some(({ rpc }) => rpc === 'GetTask'));
        if (write === 'empty') assert.ok(times >= 3, 'an empty stream is a disconnect, and tried again');
      },
      { on: ['JSONRPC', 'HTTP+JSON'] },
    );
  }
});
