/** An executor with the scripted agent and a coordinator's configuration in one folder, as real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { makeKeyFile } from '../../../peer/keys.js';

const PEER = fileURLToPath(new URL('../../oab-peer.ts', import.meta.url));
const AGENT = fileURLToPath(new URL('../../../../fixtures/agents/scripted.mjs', import.meta.url));
const TSX = import.meta.resolve('tsx');

export interface Run {
  child: ChildProcess;
  /** Complete lines of stdout so far. */
  lines: string[];
  stderr(): string;
  /** Resolves with the first line that this is true of; rejects when the process ends without one. */
  line(of: (line: string) => boolean): Promise<string>;
  /** The exit code, or the signal. */
  exit: Promise<number | string | null>;
}

/** `oab-peer ARGS`, from source. */
export function peer(args: readonly string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [`--import=${TSX}`, PEER, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  const lines: string[] = [];
  const errors: string[] = [];
  const looks = new Set<() => void>();
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const read = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      for (const look of looks) look();
    }
  })();
  const exit = Promise.all([once(child, 'close'), read]).then(
    ([[code, signal]]) => (code ?? signal) as number | string | null,
  );
  return {
    child,
    lines,
    stderr: () => errors.join(''),
    exit,
    line: (of) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find(of);
          if (found === undefined) return;
          looks.delete(look);
          resolve(found);
        };
        looks.add(look);
        look();
        exit.then(
          (code) => reject(new Error(`ended (${code}) without that line: ${errors.join('')}`)),
          reject,
        );
      }),
  };
}

/** Configuration that replaces the usual one: the executor's, the coordinator's, and its entry for the executor. */
export interface Secured {
  executor: Record<string, unknown>;
  coordinator: Record<string, unknown>;
  remote: Record<string, unknown>;
}

export class Pair {
  readonly folder = mkdtempSync(join(tmpdir(), 'oab-pair-'));
  readonly coordinator = this.at('coordinator.yaml');
  readonly executor = this.at('executor.yaml');
  #started: Run[] = [];
  #cases = 0;

  at(...path: string[]): string {
    return join(this.folder, ...path);
  }

  /** Starts a process of the pair and waits for its ready line. */
  async start(role: 'executor' | 'coordinator' | 'relay'): Promise<{ run: Run; address: string }> {
    const run = peer([role, '--config', this.at(`${role}.yaml`)]);
    this.#started.push(run);
    const ready = JSON.parse(await run.line((line) => line.startsWith('{"ready"'))) as {
      listen: { http?: string; https?: string };
    };
    return { run, address: ready.listen.https ?? ready.listen.http ?? '' };
  }

  /**
   * Writes keys and executor.yaml, starts the executor, writes coordinator.yaml with its address. `secured` replaces
   * members of the two configurations.
   */
  async begin(secured?: Secured): Promise<Run> {
    for (const folder of ['workspace', 'probe']) mkdirSync(this.at(folder));
    writeFileSync(this.at('workspace', 'README.md'), 'a file to read\n');
    for (const name of ['results', 'tokens'])
      makeKeyFile(this.at(`${name}.jwks`), this.at(`${name}.pub.jwks`));
    writeFileSync(
      this.executor,
      stringify({
        peer: 'oab-b',
        listen: { address: '127.0.0.1:0' },
        public_url: 'http://oab-b.lab/',
        insecure_loopback: true,
        keys: { results: 'results.jwks', reread: '1s' },
        peers: [{ peer: 'oab-a', token_keys: 'tokens.pub.jwks', capabilities: ['repo:read'] }],
        capabilities: ['repo:read'],
        stream: { heartbeat: '250ms' },
        journal: { sqlite: 'journal.db' },
        agent: {
          command: [process.execPath, AGENT, '--probe', this.at('probe')],
          env: ['PATH'],
          workspace: 'workspace',
          stop_grace: '1s',
          writable: ['probe'],
        },
        ...secured?.executor,
      }),
    );
    const { run, address } = await this.start('executor');
    this.coordinate(address, secured);
    return run;
  }

  /** A key file and its public half. */
  keys(name: string): void {
    makeKeyFile(this.at(`${name}.jwks`), this.at(`${name}.pub.jwks`));
  }

  /** Starts a relay with this configuration. */
  async relay(configuration: Record<string, unknown>): Promise<{ run: Run; address: string }> {
    writeFileSync(this.at('relay.yaml'), stringify(configuration));
    return this.start('relay');
  }

  coordinate(address: string, secured?: Secured): void {
    writeFileSync(
      this.coordinator,
      stringify({
        peer: 'oab-a',
        insecure_loopback: true,
        keys: { tokens: 'tokens.jwks' },
        store: 'coordinator.db',
        reconnect: { floor: '20ms', ceiling: '500ms' },
        peers: [
          {
            peer: 'oab-b',
            url: 'http://oab-b.lab/',
            ...(address === '' ? {} : { connect: address }),
            result_keys: 'results.pub.jwks',
            capabilities: ['repo:read'],
            ...secured?.remote,
          },
        ],
        ...secured?.coordinator,
      }),
    );
  }

  /** A command of the coordinator. */
  run(command: string, ...args: string[]): Run {
    return peer([command, '--config', this.coordinator, ...args]);
  }

  /** A script for the agent under a case of its own. */
  script(...lines: string[]): { task: string; id: string } {
    this.#cases += 1;
    const id = `case-${this.#cases}`;
    return { id, task: [`case: ${id}`, ...lines].join('\n') };
  }

  /** Lets the agent of a case pass a hold point, also before it has come to it. */
  release(id: string, name: string): void {
    mkdirSync(this.at('probe', 'holds', id), { recursive: true });
    writeFileSync(this.at('probe', 'holds', id, `${name}.go`), '');
  }

  /** What the agents of a case noted, by kind. */
  ledger(id: string): string[] {
    const file = this.at('probe', 'ledger.ndjson');
    if (!existsSync(file)) return [];
    const entries = readFileSync(file, 'utf8').trimEnd().split('\n');
    return entries
      .map((line) => JSON.parse(line) as { case: string; kind: string })
      .filter((entry) => entry.case === id)
      .map(({ kind }) => kind);
  }

  async end(): Promise<void> {
    for (const { child } of this.#started) child.kill('SIGKILL');
    await Promise.all(this.#started.map(({ exit }) => exit));
    rmSync(this.folder, { recursive: true });
  }
}
