import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AcceptedLine, EventLine, Line, ResultLine } from '../../coordinator/lines.js';
import { Pair, peer, type Run } from './testing/pair.js';

const json = (run: Run): Line[] => run.lines.map((line) => JSON.parse(line) as Line);
const eventsOf = (run: Run): number[] =>
  json(run).flatMap((line) => (line.type === 'event' ? [line.sequence] : []));
const resultOf = (run: Run): ResultLine => {
  const line = json(run).at(-1);
  assert.equal(line?.type, 'result', run.stderr());
  return line as ResultLine;
};
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('oab-peer', function () {
  this.timeout(60_000);
  let pair: Pair;
  let executor: Run;
  before(async () => {
    pair = new Pair();
    executor = await pair.begin();
  });
  after(() => pair.end());

  const accepted = async (run: Run): Promise<AcceptedLine> =>
    JSON.parse(await run.line((line) => line.startsWith('{"type":"accepted"'))) as AcceptedLine;

  it('delegates: the id at once, progress while the agent works, a verified result', async () => {
    const { id, task } = pair.script('say one', 'hold here', 'say two');
    const run = pair.run('delegate', '--to', 'oab-b', '--json', task);
    const { task_id, request_id } = await accepted(run);
    assert.match(task_id, /^task-/);
    await run.line((line) => line.includes('"one"'));
    assert.equal(resultless(run), true);
    pair.release(id, 'here');
    assert.equal(await run.exit, 0, run.stderr());
    const result = resultOf(run);
    assert.deepEqual(
      [result.outcome, result.verified, result.observation, result.request_id],
      ['completed', true, 'complete', request_id],
    );
    assert.deepEqual(eventsOf(run), upTo(result.envelope?.event_log.last_sequence ?? 0));
    assert.equal(run.stderr(), '');
  });

  const resultless = (run: Run) => json(run).every(({ type }) => type !== 'result');

  it('killed in mid-task goes on with wait: the rest, and nothing is created', async () => {
    const { id, task } = pair.script('say one', 'hold here', 'say two');
    const run = pair.run('delegate', '--to', 'oab-b', '--json', '--request-id', 'killed-1', task);
    const { task_id } = await accepted(run);
    const shown = JSON.parse(await run.line((line) => line.includes('"one"'))) as EventLine;
    run.child.kill('SIGKILL');
    assert.equal(await run.exit, 'SIGKILL');
    pair.release(id, 'here');
    const wait = pair.run('wait', '--json', 'killed-1');
    assert.equal(await wait.exit, 0, wait.stderr());
    assert.equal((await accepted(wait)).task_id, task_id);
    const result = resultOf(wait);
    assert.deepEqual([result.outcome, result.observation], ['completed', 'complete']);
    const [first = 0] = eventsOf(wait);
    assert.ok(first > 1 && first <= shown.sequence + 1, `${first} after ${shown.sequence}`);
    assert.deepEqual(
      pair.ledger(id).filter((kind) => kind === 'prompt'),
      ['prompt'],
    );
    // The same question again is the same task.
    const again = pair.run('delegate', '--to', 'oab-b', '--json', '--request-id', 'killed-1', task);
    assert.equal(await again.exit, 0, again.stderr());
    assert.deepEqual(resultOf(again), result);
    const other = pair.run('delegate', '--to', 'oab-b', '--request-id', 'killed-1', 'something else');
    assert.equal(await other.exit, 2);
    assert.match(other.stderr(), /killed-1 exists already and asks for something else/);
  });

  it('cancels: recorded at once, the outcome with wait, exit 3', async () => {
    const { task } = pair.script('say one', 'hold never');
    const run = pair.run('delegate', '--to', 'oab-b', '--json', '--request-id', 'cancel-1', task);
    const { task_id } = await accepted(run);
    await run.line((line) => line.includes('"one"'));
    const cancel = pair.run('cancel', '--json', task_id);
    assert.equal(await cancel.exit, 0, cancel.stderr());
    assert.deepEqual(JSON.parse(cancel.lines[0] ?? ''), { task_id, state: 'TASK_STATE_WORKING' });
    assert.equal(await run.exit, 3, run.stderr());
    assert.deepEqual([resultOf(run).outcome, resultOf(run).verified], ['cancelled', true]);
    const late = pair.run('cancel', 'cancel-1');
    assert.equal(await late.exit, 0, late.stderr());
    assert.match(late.lines.join(), /TASK_NOT_CANCELABLE/);
  });

  it('shows people the same, without colours and without anything that a remote text could forge', async () => {
    const { task } = pair.script('separators', 'say \u001b[2Jx', 'tool read \u001b]0;title\u0007');
    const run = pair.run('delegate', '--to', 'oab-b', task);
    assert.equal(await run.exit, 0, run.stderr());
    const text = run.lines.join('\n');
    assert.match(run.lines[0] ?? '', /^task-\S+ accepted by oab-b \(request req-/);
    assert.match(text, /^completed \(verified: signed by oab-b, complete log\)$/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is there is what is asserted
    assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f\u2028\u2029]/);
  });

  it('lists what is known, and the audit holds', async () => {
    const tasks = pair.run('tasks', '--json');
    assert.equal(await tasks.exit, 0, tasks.stderr());
    const rows = tasks.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const cancelled = rows.find(({ request_id }) => request_id === 'cancel-1');
    assert.deepEqual([cancelled?.state, cancelled?.verified], ['cancelled', true]);
    const status = pair.run('status', String(cancelled?.task_id), '--json');
    assert.equal(await status.exit, 0, status.stderr());
    assert.deepEqual(JSON.parse(status.lines[0] ?? ''), cancelled);
    const nobody = pair.run('status', 'req-of-nobody');
    assert.equal(await nobody.exit, 2);
    const audit = peer(['audit', '--config', pair.executor, '--json']);
    assert.equal(await audit.exit, 0, audit.stderr());
    const kinds = audit.lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
    assert.equal(kinds[0], 'start');
    assert.equal(kinds.filter((kind) => kind === 'admitted').length, rows.length);
    assert.equal(kinds.filter((kind) => kind === 'terminal').length, rows.length);
    assert.doesNotMatch(audit.lines.join(), /case-1|say one/);
  });

  describe('with a coordinator that stays up', () => {
    let daemon: Run;
    before(async () => {
      daemon = (await pair.start('coordinator')).run;
    });

    it('keeps its socket to its owner, and is the only one', async () => {
      assert.equal(statSync(pair.at('coordinator.db.sock')).mode & 0o777, 0o600);
      const second = pair.run('coordinator');
      assert.equal(await second.exit, 2);
      assert.match(second.stderr(), /another coordinator answers there/);
    });

    it('follows on when the command is interrupted, and tells a later one the rest', async () => {
      const { id, task } = pair.script('say one', 'hold here', 'say two');
      const run = pair.run('delegate', '--to', 'oab-b', '--json', '--request-id', 'daemon-1', task);
      await accepted(run);
      await run.line((line) => line.includes('"one"'));
      run.child.kill('SIGINT');
      assert.equal(await run.exit, 4);
      assert.match(run.stderr(), /interrupted; "oab-peer wait daemon-1" goes on with it/);
      const wait = pair.run('wait', '--json', 'daemon-1');
      await accepted(wait);
      pair.release(id, 'here');
      assert.equal(await wait.exit, 0, wait.stderr());
      assert.deepEqual([resultOf(wait).outcome, resultOf(wait).observation], ['completed', 'complete']);
      assert.deepEqual(
        pair.ledger(id).filter((kind) => kind === 'prompt'),
        ['prompt'],
      );
    });

    it('answers what may not be asked as without it, and a corrected question works', async () => {
      const args = ['delegate', '--to', 'oab-b', '--request-id', 'daemon-2'] as const;
      const wide = pair.run(...args, '--capability', 'net:fetch', '--', 'x');
      assert.equal(await wide.exit, 2);
      assert.match(wide.stderr(), /CAPABILITY_WIDENED: net:fetch/);
      const right = pair.run(...args, pair.script('say x').task);
      assert.equal(await right.exit, 0, right.stderr());
    });

    it('ends politely on SIGTERM, and says so to whoever waits; its successor goes on', async () => {
      const { id, task } = pair.script('say one', 'hold here');
      const run = pair.run('delegate', '--to', 'oab-b', '--json', '--request-id', 'daemon-3', task);
      await accepted(run);
      await run.line((line) => line.includes('"one"'));
      daemon.child.kill('SIGTERM');
      assert.equal(await daemon.exit, 0, daemon.stderr());
      assert.equal(await run.exit, 4);
      assert.match(run.stderr(), /the coordinator stops; "oab-peer wait daemon-3"/);
      assert.equal(resultless(run), true);
      await pair.start('coordinator');
      const wait = pair.run('wait', '--json', 'daemon-3');
      pair.release(id, 'here');
      assert.equal(await wait.exit, 0, wait.stderr());
      assert.deepEqual(
        pair.ledger(id).filter((kind) => kind === 'prompt'),
        ['prompt'],
      );
    });
  });

  it('does a job of the harness, and says the schema to a job that is none', async () => {
    const { task } = pair.script('say done', 'stop refusal');
    const job = (action: string) => {
      const file = pair.at(`job-${action}.json`);
      writeFileSync(
        file,
        JSON.stringify({
          action,
          caller: 'oab-a',
          executor: {
            peer: 'oab-b',
            card: 'http://oab-b.lab/.well-known/agent-card.json',
            connect: /connect: (\S+)/.exec(readFileSync(pair.coordinator, 'utf8'))?.[1],
          },
          key_file: pair.at('tokens.jwks'),
          trusted_results: pair.at('results.pub.jwks'),
          state_dir: pair.at('job-state'),
          request: {
            request_id: 'job-1',
            task,
            capabilities: ['repo:read'],
            deadline_ms: 20_000,
            max_output_bytes: 4096,
          },
        }),
      );
      return peer([], { OAB_GATE_JOB: file });
    };
    const delegate = job('delegate');
    assert.equal(await delegate.exit, 3, delegate.stderr());
    assert.deepEqual([...new Set(json(delegate).map(({ type }) => type))], ['accepted', 'event', 'result']);
    const cancel = job('cancel');
    assert.equal(await cancel.exit, 0, cancel.stderr());
    assert.deepEqual(cancel.lines, []);
    for (const action of ['wait', 'reconcile']) {
      const run = job(action);
      assert.equal(await run.exit, 3, run.stderr());
      assert.deepEqual(
        json(run).filter(({ type }) => type === 'result'),
        [resultOf(delegate)],
      );
    }
    const wrong = job('dance');
    assert.equal(await wrong.exit, 2);
    assert.match(wrong.stderr(), /job-dance\.json: action: /);
  });

  for (const [what, args, expected] of [
    ['an unknown option', ['tasks', '--config', 'x', '--colour'], /unknown option/],
    ['an unknown command', ['dance'], /unknown command/],
    ['no configuration', ['delegate', '--to', 'oab-b', 'x'], /--config/],
    [
      'a configuration that is not there',
      ['tasks', '--config', '/nowhere.yaml'],
      /nowhere\.yaml: cannot be read/,
    ],
    ['a duration without a unit', ['delegate', '--deadline', '5'], /whole number with a unit/],
    ['a key file that exists', ['keys', 'new', import.meta.filename], /exists already/],
    ['a key file that is none', ['keys', 'list', import.meta.filename], /no JSON/],
  ] as const) {
    it(`exits 2 for ${what}`, async () => {
      const run = peer([...args]);
      assert.equal(await run.exit, 2, run.stderr());
      assert.match(run.stderr(), expected);
      assert.deepEqual(run.lines, []);
    });
  }

  it('makes no connection with a configuration that is wrong', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const file = pair.at('wrong.yaml');
    const right = readFileSync(pair.coordinator, 'utf8').replace(
      /connect: \S+/,
      `connect: 127.0.0.1:${port}`,
    );
    writeFileSync(file, `${right}speed: 3\n`);
    const run = peer(['delegate', '--config', file, '--to', 'oab-b', 'x']);
    assert.equal(await run.exit, 2);
    assert.match(run.stderr(), /wrong\.yaml:\d+: speed: unknown key/);
    assert.equal(connections, 0);
    server.close();
  });

  it('does not delegate from a session that it runs for somebody else', async () => {
    const run = peer(['delegate', '--config', pair.coordinator, '--to', 'oab-b', 'x'], {
      OAB_DELEGATION_DEPTH: '1',
    });
    assert.equal(await run.exit, 2);
    assert.match(run.stderr(), /DEPTH_EXCEEDED/);
  });

  it('makes, joins, retires and revokes keys', async () => {
    const file = pair.at('fresh', 'results.jwks');
    const half = pair.at('fresh', 'results.pub.jwks');
    const made = peer(['keys', 'new', file]);
    assert.equal(await made.exit, 0, made.stderr());
    const kid = /kid (\S+)/.exec(made.lines.join('\n'))?.[1] ?? '';
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.doesNotMatch(readFileSync(half, 'utf8'), /"d"/);
    const next = pair.at('fresh', 'next.jwks');
    assert.equal(await peer(['keys', 'new', next]).exit, 0);
    assert.equal(await peer(['keys', 'add', half, next]).exit, 0);
    assert.doesNotMatch(readFileSync(half, 'utf8'), /"d"/);
    assert.equal(await peer(['keys', 'retire', half, kid]).exit, 0);
    assert.equal(await peer(['keys', 'revoke', half, kid]).exit, 0);
    assert.equal(await peer(['keys', 'revoke', half, kid]).exit, 2);
    const list = peer(['keys', 'list', half, '--json']);
    assert.equal(await list.exit, 0, list.stderr());
    const rows = JSON.parse(list.lines[0] ?? '') as { state: string; private: boolean }[];
    assert.deepEqual(
      rows.map((row) => [row.state, row.private]),
      [
        ['revoked', false],
        ['active', false],
      ],
    );
  });

  // Mocha runs the groups after the tests around them, so that the executor's end is a group too.
  describe('at its end', () => {
    it('says where a port is taken; drains on SIGTERM and exits 0', async () => {
      const taken = /connect: (\S+)/.exec(readFileSync(pair.coordinator, 'utf8'))?.[1] ?? '';
      const file = pair.at('second.yaml');
      const text = readFileSync(pair.executor, 'utf8');
      writeFileSync(
        file,
        text.replace('127.0.0.1:0', taken).replace('journal.db', 'second.db').replace('250ms', '300ms'),
      );
      const second = peer(['executor', '--config', file]);
      assert.equal(await second.exit, 2, second.stderr());
      assert.match(
        second.stderr(),
        /second\.yaml:3: listen\.address: 127\.0\.0\.1:\d+ cannot be listened on \(EADDRINUSE\)/,
      );
      const { id, task } = pair.script('say one', 'hold here', 'say two');
      const run = pair.run('delegate', '--to', 'oab-b', '--json', task);
      await accepted(run);
      await run.line((line) => line.includes('"one"'));
      executor.child.kill('SIGTERM');
      pair.release(id, 'here');
      assert.equal(await run.exit, 0, run.stderr());
      assert.equal(await executor.exit, 0, executor.stderr());
      assert.deepEqual(executor.lines.length, 1);
    });
  });
});
