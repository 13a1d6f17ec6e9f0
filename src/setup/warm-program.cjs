/**
 * Runs a bundled peer once, as an executor and as the coordinator that delegates to it, both in this process, and keeps
 * the code that V8 has compiled by then. Arguments: START (dist/programs/start.cjs), the bundle, a folder with keys,
 * the agent, and what the program's command line has before the role.
 */
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const [, , startFile, bundle, folder, agent, ...before] = process.argv;
const { compile, digest, run } = require(startFile);
const at = (name) => join(folder, name);
const HOST = 'http://oab-b.lab/';

const code = readFileSync(bundle);
const script = compile(bundle, code);

/** Of the runs that have not ended: the coordinator's, which is started last, ends first. */
const ends = [];
const exit = process.exit.bind(process);
process.exit = (status) => ends.shift()?.(status ?? process.exitCode ?? 0);

/** One run: what the program is started with, until it would end its process. */
function started(argv, env = {}) {
  process.argv = [process.execPath, bundle, ...argv];
  process.exitCode = undefined;
  Object.assign(process.env, env);
  const ended = new Promise((resolve) => ends.unshift(resolve));
  run(script, bundle);
  return ended;
}

/** The first line that the executor prints; whatever is printed stays here. */
const ready = new Promise((resolve) => {
  process.stdout.write = (text, ...rest) => {
    if (String(text).includes('"ready"')) resolve(JSON.parse(text));
    rest.find((one) => typeof one === 'function')?.();
    return true;
  };
});

async function warm() {
  mkdirSync(at('workspace'), { recursive: true });
  writeFileSync(
    at('executor.yaml'),
    JSON.stringify({
      peer: 'oab-b',
      listen: { address: '127.0.0.1:0' },
      public_url: HOST,
      insecure_loopback: true,
      keys: { results: at('results.jwks') },
      peers: [{ peer: 'oab-a', token_keys: at('tokens.pub.jwks'), capabilities: ['repo:read'] }],
      capabilities: ['repo:read'],
      journal: { sqlite: at('journal.db') },
      agent: {
        command: [process.execPath, agent],
        env: ['PATH'],
        workspace: at('workspace'),
        sandbox: 'off',
      },
    }),
  );
  const config = before.length === 0 ? ['--config', at('executor.yaml')] : [at('executor.yaml')];
  const executor = started([...before, 'executor', ...config]);
  const { listen } = await ready;
  writeFileSync(
    at('job.json'),
    JSON.stringify({
      action: 'delegate',
      caller: 'oab-a',
      executor: {
        peer: 'oab-b',
        binding: 'JSONRPC',
        card: `${HOST}.well-known/agent-card.json`,
        connect: listen.http,
      },
      key_file: at('tokens.jwks'),
      trusted_results: at('results.pub.jwks'),
      state_dir: at('state'),
      request: {
        request_id: 'warm',
        task: 'case: warm\nsay warm',
        capabilities: ['repo:read'],
        deadline_ms: 30_000,
        max_output_bytes: 4096,
      },
    }),
  );
  const role = before.length === 0 ? [] : [...before, 'coordinator'];
  const status = await started(role, { OAB_GATE_JOB: at('job.json') });
  if (status !== 0) throw new Error(`the coordinator ended with ${status}`);
  const cached = script.createCachedData();
  // Whoever starts the program meanwhile sees none or the whole.
  writeFileSync(`${bundle}.cache.new`, Buffer.concat([digest(code, cached), cached]));
  renameSync(`${bundle}.cache.new`, `${bundle}.cache`);
  process.emit('SIGTERM', 'SIGTERM');
  await executor;
}

warm().then(
  () => exit(0),
  (error) => {
    console.error(error);
    exit(1);
  },
);
