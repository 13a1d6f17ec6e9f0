import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { until } from './deadline.js';
import { openLab } from './lab.js';
import type { Lab, ProcessSpec } from './ports.js';

const READY = `console.log(JSON.stringify({ ready: true, listen: { http: '127.0.0.1:1' }, pid: process.pid, version: '1' }));`;
const STAY = 'setInterval(() => {}, 1000);';
const script = (name: string, code: string, more: Partial<ProcessSpec> = {}): ProcessSpec => ({
  name,
  argv: [process.execPath, '-e', code],
  ...more,
});
const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    // One that has ended but that nobody has waited for yet is not alive.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

describe('lab processes', () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await openLab({ caseId: 'process', seed: '1' });
  });
  afterEach(() => lab.close());

  it('are ready when they say so, with little of our environment, and end as they are told', async () => {
    process.env.OAB_TEST_SECRET = 'must not be inherited';
    const code = `${READY} process.stderr.write(JSON.stringify(process.env)); ${STAY}`;
    const peer = await lab.startPeer(script('a', code, { env: { GIVEN: 'yes' } }));
    delete process.env.OAB_TEST_SECRET;
    assert.deepEqual([peer.ready.pid, peer.ready.listen.http], [peer.pid, '127.0.0.1:1']);
    await until(() => peer.stderr().endsWith('}'), { ms: 5000, what: 'its environment' });
    const names = Object.keys(JSON.parse(peer.stderr()));
    assert.ok(names.includes('GIVEN') && !names.includes('OAB_TEST_SECRET'), names.join(' '));
    assert.deepEqual(await peer.stop(), { code: null, signal: 'SIGTERM', asked: true });
    const killed = await lab.startPeer(script('b', READY + STAY));
    killed.pause();
    assert.deepEqual(await killed.kill(), { code: null, signal: 'SIGKILL', asked: true });
    assert.deepEqual(lab.unaskedExits(), []);
  });

  it('are killed when they do not end in time after SIGTERM', async () => {
    const peer = await lab.startPeer(script('deaf', `process.on('SIGTERM', () => {}); ${READY} ${STAY}`));
    assert.equal((await peer.stop(50)).signal, 'SIGKILL');
  });

  it('that are not ready in time, say something else or end first are told with their last words', async () => {
    await assert.rejects(
      lab.startPeer(script('slow', STAY, { readyMs: 50 })),
      /slow to be ready: not within 50 ms/,
    );
    await assert.rejects(
      lab.startPeer(script('odd', `console.log('hello'); ${STAY}`)),
      /odd: the first line is no ready line: hello/,
    );
    await assert.rejects(
      lab.startPeer(script('dies', `console.error('no such file'); process.exit(3)`)),
      /dies ended \(3\) before it was ready: no such file/,
    );
    await assert.rejects(lab.startPeer({ name: 'none', argv: ['/no/such/program'] }), /ENOENT/);
  });

  it('that end unasked are reported, with the reason', async () => {
    const end = async (name: string, code: string) => {
      const peer = await lab.startPeer(script(name, `${READY} ${code}`));
      return { peer, exit: await peer.exited };
    };
    await end('crashed', `setTimeout(() => process.exit(7), 1)`);
    await end('left', '');
    await end('heap', `console.error('FATAL: JavaScript heap out of memory'); process.abort();`);
    const { exit } = await end('shot', `process.kill(process.pid, 'SIGKILL')`);
    assert.equal(exit.asked, false);
    assert.deepEqual(lab.unaskedExits(), [
      'crashed: exit code 7',
      'left: exit code 0',
      'heap: out of memory',
      'shot: killed by SIGKILL that the harness did not send',
    ]);
  });

  it('that are commands give lines, and their exit code is no sign of trouble', async () => {
    const command = lab.startCommand(
      script('c', `console.log('one'); console.log('two'); process.exitCode = 4`),
    );
    const lines: string[] = [];
    for await (const line of command.lines) lines.push(line);
    assert.deepEqual(lines, ['one', 'two']);
    assert.equal((await command.exited).code, 4);
    assert.deepEqual(lab.unaskedExits(), []);
  });

  it('keep a bounded, redacted tail of stderr', async () => {
    const token = `eyJ${'a'.repeat(20)}.${'b'.repeat(30)}.${'c'.repeat(40)}`;
    const code = `process.stderr.write('x'.repeat(200000) + ' Authorization: Bearer ${token}\\n'); ${READY} ${STAY}`;
    const peer = await lab.startPeer(script('loud', code));
    await until(() => peer.stderr().includes('['), { ms: 5000, what: 'its last words' });
    assert.ok(peer.stderr().length <= 64 * 1024);
    assert.ok(!peer.stderr().includes('bbbbb'));
  });

  it('leave nothing behind when the lab closes: neither children nor what a crashed one had started', async () => {
    const spawn = (detached: boolean, tag: string) =>
      `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', ${tag}], { detached: ${detached}, stdio: 'ignore' }).pid`;
    const code = (pid: string) => `process.stderr.write(String(${pid}) + '\\n'); ${READY} ${STAY}`;
    const parent = await lab.startPeer(script('parent', code(spawn(true, "'plain'"))));
    const crashed = await lab.startPeer(
      script('crashed', code(spawn(true, JSON.stringify(`${lab.folder}/workspace`)))),
    );
    const pids: number[] = [];
    for (const one of [parent, crashed]) {
      await until(() => one.stderr().endsWith('\n'), { ms: 5000, what: 'the pid of the child' });
      pids.push(Number(one.stderr()));
    }
    await crashed.kill();
    assert.ok(pids.every(alive), 'a crash ends one process alone');
    await lab.close();
    if (process.platform === 'linux') assert.deepEqual(pids.filter(alive), []);
    assert.ok(!existsSync(lab.folder));
  });
});
