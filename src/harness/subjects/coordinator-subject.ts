/** A coordinator as the suites meet it: a command, run once per action with a job file (harness contract). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BindingName } from '../../profile/names.js';
import type { Lab, LabCommand } from '../lab/ports.js';
import { keyLog } from '../lab/tls/key-log.js';
import type { Json } from '../wire/probe.js';
import { OWN_COMMAND, type Variant, variantArgv } from './variant.js';

export interface JobRequest {
  request_id: string;
  task: string;
  capabilities: string[];
  deadline_ms: number;
  max_output_bytes: number;
}

interface JobRelay {
  relay: string;
  url: string;
  ca: string;
  token_key: string;
}

export interface Job {
  caller: string;
  executor: {
    peer: string;
    binding: BindingName;
    /** Of the A2A bindings. */
    card?: string;
    /** Of OAB, which has no card. */
    url?: string;
    ca: string;
    /** The executor's public TLS key, which the coordinator is to pin. */
    tls_key: string;
    /** Where it is dialled, or its relay. */
    connect: string;
    relay?: JobRelay;
    /** Tried in turn where the first one gives no way. */
    other_relays?: (JobRelay & { connect: string })[];
  };
  key_file: string;
  trusted_results: string;
  request: JobRequest;
  /** Shorter than usual, so that a case need not wait for it. */
  clock_skew?: string;
  reconnect?: { floor: string; ceiling: string };
  /** How long one answer is waited for. */
  timeout?: string;
}

/** One run of the command: its lines as they come, and its exit code. */
export interface JobRun {
  readonly lines: Json[];
  /** When each of them came, by performance.now(). */
  readonly times: number[];
  /** Resolves with the first line of this type; rejects when the run ends without one. */
  line(type: 'accepted' | 'event' | 'result'): Promise<Json>;
  readonly exit: Promise<number | null>;
  /** Resolves when it has ended, with its `result` line if it printed one. */
  readonly result: Promise<Json | undefined>;
  kill(): Promise<void>;
  stderr(): string;
}

export interface CoordinatorSubject {
  run(action: 'delegate' | 'wait' | 'cancel' | 'reconcile', job: Job): JobRun;
}

/** `name` separates the state of one case from another's; runs of one name share it. */
export function referenceCoordinator(lab: Lab, name: string, variant: Variant = {}): CoordinatorSubject {
  const folder = join(lab.folder, name);
  mkdirSync(folder, { recursive: true });
  const other = variantArgv(variant);
  const argv: readonly [string, ...string[]] = other === undefined ? OWN_COMMAND : [...other, 'coordinator'];
  const secrets = join(folder, 'tls-secrets.log');
  keyLog.watch(secrets);
  lab.onClose(`the TLS secrets of ${name}`, () => keyLog.forget(secrets));
  let runs = 0;
  return {
    run(action, job) {
      runs += 1;
      const file = join(folder, `job-${runs}.json`);
      const { key_file, trusted_results, ...rest } = job;
      writeFileSync(
        file,
        JSON.stringify({ action, ...rest, key_file, trusted_results, state_dir: join(folder, 'state') }),
      );
      return follow(
        lab.startCommand({
          name: `${name}-${action}-${runs}`,
          argv,
          cwd: folder,
          // Its TLS secrets, so that the taps can tell frames: by Node's own option, and by the name that others know.
          env: { OAB_GATE_JOB: file, NODE_OPTIONS: `--tls-keylog=${secrets}`, SSLKEYLOGFILE: secrets },
        }),
      );
    },
  };
}

function follow(command: LabCommand): JobRun {
  const lines: Json[] = [];
  const times: number[] = [];
  let looks: (() => void)[] = [];
  const reading = (async () => {
    for await (const line of command.lines) {
      lines.push(JSON.parse(line) as Json);
      times.push(performance.now());
      for (const look of looks) look();
    }
  })();
  const exit = reading.then(async () => (await command.exited).code);
  return {
    lines,
    times,
    exit,
    line(type) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find((line) => line.type === type);
          if (found === undefined) return;
          looks = looks.filter((one) => one !== look);
          resolve(found);
        };
        looks.push(look);
        look();
        exit.then(
          (code) =>
            reject(
              new Error(
                `the coordinator ended (${code ?? 'by a signal'}) without ${type}: ${command.stderr().slice(-500)}`,
              ),
            ),
          reject,
        );
      });
    },
    result: exit.then(() => lines.find((line) => line.type === 'result')),
    kill: async () => void (await command.kill()),
    stderr: () => command.stderr(),
  };
}
