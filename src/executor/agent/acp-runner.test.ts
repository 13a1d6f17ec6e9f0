import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createAcpRunner } from './acp-runner.js';
import type { AgentConfig } from './config.js';
import { groupRuns } from './process-group.js';
import type { AgentEvent, AgentTurn, TurnEnd } from './runner.js';

const AGENT = resolve('fixtures/agents/scripted.mjs');
const SDK_AGENT = resolve('fixtures/agents/sdk-agent.mjs');

describe('the ACP runner, with a real agent', () => {
  let workspace: string;
  let probe: string;
  beforeEach(() => {
    workspace = mkdtempSync(join(tmpdir(), 'oab-workspace-'));
    probe = join(workspace, 'probe');
    mkdirSync(probe);
    writeFileSync(join(workspace, 'file.txt'), 'content');
  });
  afterEach(() => rmSync(workspace, { recursive: true, force: true }));

  const config = (args: string[] = [], more: Partial<AgentConfig> = {}): AgentConfig => ({
    command: [process.execPath, AGENT, '--probe', probe, ...args],
    env: ['PATH'],
    workspace,
    stopGraceMs: 300,
    coalesce: false,
    writable: [probe],
    startupMs: 10_000,
    ...more,
  });

  /** Starts a script; `begun` resolves with the group once the process runs. */
  function start(
    script: string[],
    options: { config?: AgentConfig; effective?: string[]; prompt?: () => Promise<boolean> } = {},
  ) {
    let pgid = 0;
    let prompted = 0;
    const turn: AgentTurn = createAcpRunner(options.config ?? config()).start(
      {
        taskId: 't',
        turnId: 'u',
        prompt: ['case: c', ...script].join('\n'),
        effective: options.effective ?? ['repo:read'],
      },
      {
        started: async (process) => {
          pgid = process.pgid;
          assert.notEqual(process.startTime, '');
        },
        beforePrompt: async () => {
          prompted += 1;
          return options.prompt === undefined || (await options.prompt());
        },
      },
    );
    return { turn, pgid: () => pgid, prompted: () => prompted };
  }

  async function drain(
    turn: AgentTurn,
    onEvent: (event: AgentEvent) => void = () => {},
  ): Promise<{ events: AgentEvent[]; end: TurnEnd }> {
    const events: AgentEvent[] = [];
    for await (const event of turn.events) {
      events.push(event);
      onEvent(event);
    }
    return { events, end: await turn.end };
  }
  const run = async (script: string[], options: Parameters<typeof start>[1] = {}) => {
    const started = start(script, options);
    const result = await drain(started.turn);
    if (started.pgid() !== 0)
      assert.equal(groupRuns(started.pgid()), false, 'something of the group is left');
    return {
      ...result,
      prompted: started.prompted(),
      text: result.events.map((event) => (event.type === 'text' ? event.text : '')).join(''),
    };
  };
  const ledger = () =>
    readFileSync(join(probe, 'ledger.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('runs a prompt to its end and tells what was said after the last tool call', async () => {
    const { end, text, events } = await run(['say before ', 'tool read README', 'say after']);
    assert.equal(end.stopReason, 'end_turn');
    assert.equal(text, 'beforeafter');
    assert.equal(end.summary, 'after');
    assert.equal(end.dispatched, true);
    assert.equal(end.workspaceChanged, false);
    assert.deepEqual(end.sideEffects, [{ kind: 'boundary', evidence: 'unverified' }]);
    assert.deepEqual(
      events.filter(({ type }) => type === 'status').map((event) => ('text' in event ? event.text : '')),
      ['pending: README', 'in_progress: README', 'completed: README'],
    );
    assert.deepEqual(
      ledger().map(({ kind }) => kind),
      ['start', 'prompt', 'tool', 'end'],
    );
  });

  it('passes U+2028, images and resources on, and lines above 64 KiB', async () => {
    const { text, events } = await run(['separators', 'image', 'resource hello', 'say-bytes 1000000']);
    const odd = 'a\u2028b\u2029c\r\nd\u0085e\fg\vh';
    assert.ok(text.startsWith(odd));
    assert.equal(text.length, odd.length + 1_000_000);
    const artifacts = events.filter((event) => event.type === 'artifact');
    assert.deepEqual(artifacts, [
      { type: 'artifact', parts: [{ raw: 'iVBORw0KGgo=', mediaType: 'image/png' }] },
      { type: 'artifact', name: 'report.txt', parts: [{ text: 'hello', mediaType: 'text/plain' }] },
    ]);
  });

  it('allows what is granted once, denies the rest, and denies odd options (OPEN-48)', async () => {
    const { end, events } = await run([
      'ask read a',
      'ask edit b',
      'ask fetch c',
      'ask-odd read d',
      'ask switch_mode e',
    ]);
    const chosen = ledger()
      .filter(({ kind }) => kind === 'permission')
      .map(({ chosen }) => chosen);
    assert.deepEqual(chosen, ['once', 'no', 'no', 'cancelled', 'no']);
    assert.deepEqual(
      events
        .filter((event) => event.type === 'permission')
        .map((event) => 'allowed' in event && event.allowed),
      [true, false, false, false, false],
    );
    assert.deepEqual(end.sideEffects.slice(0, 3), [
      { kind: 'edit', tool_call_id: 'call-2', target: 'b', evidence: 'denied' },
      { kind: 'fetch', tool_call_id: 'call-3', target: 'c', evidence: 'denied' },
      { kind: 'switch_mode', tool_call_id: 'call-5', target: 'e', evidence: 'denied' },
    ]);
    assert.equal(end.openCalls, false);
  });

  it('sees a call without a final status, a kind that was not granted, and a changed workspace', async () => {
    const { end } = await run(['tool-open execute make', 'tool edit file.txt', 'write file.txt more']);
    assert.equal(end.openCalls, true);
    assert.deepEqual(end.violations, ['edit']);
    assert.equal(end.workspaceChanged, true);
    assert.deepEqual(
      end.sideEffects.map(({ kind, evidence }) => `${kind} ${evidence}`),
      ['execute unverified', 'edit observed', 'boundary unverified'],
    );
  });

  it('does not prompt when the dispatch is refused or a cancel came first', async () => {
    const refused = await run(['say x'], { prompt: async () => false });
    assert.deepEqual([refused.end.dispatched, refused.end.stopReason], [false, undefined]);
    const { turn } = start(['say x']);
    turn.cancel();
    const { end } = await drain(turn);
    assert.equal(end.dispatched, false);
    const late = start(['say x'], {
      prompt: async () => {
        late.turn.cancel();
        return true;
      },
    });
    assert.equal((await drain(late.turn)).end.dispatched, false);
    assert.ok(!ledger().some(({ kind }) => kind === 'prompt'));
  });

  it('cancels in the middle, and kills an agent that ignores it', async () => {
    const polite = start(['say a', 'hold h', 'say b']);
    const first = await drain(polite.turn, () => polite.turn.cancel());
    assert.equal(first.end.stopReason, 'cancelled');
    const deaf = start(['say a', 'ignore-cancel', 'hang']);
    const second = await drain(deaf.turn, () => deaf.turn.cancel());
    assert.equal(second.end.stopReason, undefined);
    assert.equal(second.end.error, 'WORKER_LOST');
    assert.equal(groupRuns(deaf.pgid()), false);
  });

  it('reports an agent that dies, and leaves none of its children', async () => {
    for (const how of ['die 3', 'die SIGKILL']) {
      const { end, text } = await run(['say a', 'child', how]);
      assert.deepEqual([end.stopReason, end.error, text], [undefined, 'WORKER_LOST', 'a']);
    }
    const { end } = await run(['child', 'say a']);
    assert.equal(end.stopReason, 'end_turn');
  });

  it('tells a bad agent by name, and prompts none of them', async () => {
    for (const [args, error] of [
      [['--exit-at-start'], 'AGENT_UNAVAILABLE'],
      [['--protocol-version', '2'], 'AGENT_INCOMPATIBLE'],
      [['--login-required'], 'AGENT_LOGIN'],
      [['--noise-at-start', '5000'], 'AGENT_PROTOCOL'],
    ] as const) {
      const { end, prompted } = await run(['say a'], { config: config([...args]) });
      assert.deepEqual([end.error, end.dispatched, prompted], [error, false, 0], args.join(' '));
    }
    const absent = await run(['say a'], {
      config: config([], { command: [join(workspace, 'no-such-agent')] }),
    });
    assert.equal(absent.end.error, 'AGENT_UNAVAILABLE');
    const silent = await run(['say a'], { config: config(['--never-answer'], { startupMs: 300 }) });
    assert.equal(silent.end.error, 'AGENT_UNAVAILABLE');
  });

  it('bears a little noise, and gives up on a flood', async () => {
    assert.equal((await run(['noise 20', 'say a'])).end.stopReason, 'end_turn');
    const flood = await run(['noise 5000', 'say a']);
    assert.deepEqual([flood.end.stopReason, flood.end.error], [undefined, 'AGENT_PROTOCOL']);
  });

  it('passes a stopReason on as it is', async () => {
    assert.equal((await run(['stop max_tokens'])).end.stopReason, 'max_tokens');
    assert.equal((await run(['stop something_new'])).end.stopReason, 'something_new');
  });

  it('hands down no environment but the named one', async () => {
    process.env.OAB_CANARY = 'secret';
    try {
      assert.equal((await run(['env OAB_CANARY'])).text, 'OAB_CANARY=');
      assert.equal(
        (await run(['env OAB_CANARY'], { config: config([], { env: ['PATH', 'OAB_CANARY'] }) })).text,
        'OAB_CANARY=secret',
      );
    } finally {
      delete process.env.OAB_CANARY;
    }
  });

  it('takes a task with U+2028 in it as one message', async () => {
    assert.equal((await run(['say a\u2028b'])).text, 'a\u2028b');
  });

  it('runs an agent on another ACP library alike', async () => {
    const other = config([], { command: [process.execPath, SDK_AGENT, '--probe', probe] });
    const { end, text } = await run(['tool read README', 'ask edit b', 'ask search c', 'say a\u2028b'], {
      config: other,
    });
    assert.deepEqual([end.stopReason, text, end.openCalls], ['end_turn', 'a\u2028b', false]);
    assert.deepEqual(end.sideEffects[0], {
      kind: 'edit',
      tool_call_id: 'call-2',
      target: 'b',
      evidence: 'denied',
    });
    const held = start(['say a', 'hold h'], { config: other });
    assert.equal((await drain(held.turn, () => held.turn.cancel())).end.stopReason, 'cancelled');
  });

  it('signals nobody once the turn has ended', async () => {
    const { turn, pgid } = start(['say a']);
    await drain(turn);
    const kill = process.kill;
    const signalled: number[] = [];
    process.kill = (pid) => {
      signalled.push(pid);
      return true;
    };
    try {
      turn.kill();
    } finally {
      process.kill = kill;
    }
    assert.ok(pgid() > 0);
    assert.deepEqual(signalled, []);
  });

  it('does not read ahead of a consumer that stops', async () => {
    const { turn } = start(['chunks 200000 of 100', 'effect done']);
    const iterator = turn.events[Symbol.asyncIterator]();
    await iterator.next();
    // The agent is held back by its full pipe long before the end of its script.
    assert.ok(!ledger().some(({ kind }) => kind === 'effect'));
    turn.kill();
    await iterator.return?.();
    assert.equal((await turn.end).stopReason, undefined);
    assert.ok(!ledger().some(({ kind }) => kind === 'effect'));
  });

  it('has its agent killed when this process is', async () => {
    const script = fileURLToPath(new URL('testing/run-until-killed.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, AGENT, workspace], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let pgid = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      pgid = Number(line);
      break;
    }
    assert.equal(groupRuns(pgid), true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const deadline = Date.now() + 5000;
    while (groupRuns(pgid) && Date.now() < deadline) await new Promise(setImmediate);
    assert.equal(groupRuns(pgid), false);
  });
});
