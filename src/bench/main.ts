/** `npm run bench`: the reference executor beside the SDK's default handler, on this machine, as ratios. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import type { Measurement } from './measurement.js';
import { bindings } from './measurements/bindings.js';
import { MEASUREMENTS } from './measurements/index.js';
import { measure, type Progress, type Result } from './run.js';
import { launcher } from './side.js';
import { table } from './table.js';

interface Flags {
  only: Measurement[];
  rounds: number;
  out: string;
  json?: boolean;
  profile?: string;
}

const NAMES = MEASUREMENTS.map(({ name }) => name).join(', ');

const command = new Command('npm run bench --')
  .description(
    `Measures the reference executor on its durable journal against the stock A2A server of @a2a-js/sdk on the same
transport, and the relay against nginx and the direct way. Figures for people: nothing asserts them, and only ratios of
one run compare. About fifteen minutes.`,
  )
  .option('--only <names>', `some of: ${NAMES}; or bindings, for what compares those`, chosen, [
    ...MEASUREMENTS,
  ])
  .option('--rounds <n>', 'interleaved rounds after the warm-up', count, 7)
  .option('--out <file>', 'where the JSON goes', 'out/bench.json')
  .option('--json', 'print the JSON in place of the table')
  .option('--profile <dir>', 'have each server write a CPU profile there (Chrome DevTools reads it)')
  .addHelpText(
    'after',
    `
Examples:
  npm run bench                                        everything
  npm run bench -- --only status-1,status-100          two of them
  npm run bench -- --only creates --rounds 3 --profile out/profiles
  npm run --silent bench -- --only replay --json | jq '.results[0].ratio'`,
  )
  .exitOverride()
  .action(bench);

function chosen(value: string): Measurement[] {
  const names = value.split(',').flatMap((name) => named(name.trim()));
  const strange = names.find((name) => !MEASUREMENTS.some((one) => one.name === name));
  if (strange !== undefined) throw new InvalidArgumentError(`"${strange}" is none of ${NAMES}.`);
  return MEASUREMENTS.filter(({ name }) => names.includes(name));
}

/** `bindings` is short for all that compare them. */
function named(name: string): string[] {
  return name === 'bindings' ? bindings.map((one) => one.name) : [name];
}

function count(value: string): number {
  const rounds = Number(value);
  if (!/^[1-9]\d?$/.test(value)) throw new InvalidArgumentError('Rounds are a whole number from 1 to 99.');
  return rounds;
}

async function bench({ only, rounds, out, json, profile }: Flags): Promise<void> {
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const began = Date.now();
  const results: Result[] = [];
  for (const measurement of only) {
    results.push(await measure(measurement, launcher(flags), rounds, told));
    tell('');
  }
  const report = {
    schema: 'oab-bench/v1',
    started_at: new Date(began).toISOString(),
    duration_ms: Date.now() - began,
    machine: {
      node: process.version,
      cpus: cpus().length,
      cpu: cpus()[0]?.model ?? 'unknown',
      memory_bytes: totalmem(),
      // Of the last minute, at the end: this benchmark's own processes are in it.
      load_average: loadavg()[0],
    },
    rounds,
    results,
  };
  const text = `${JSON.stringify(report, null, 2)}\n`;
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, text);
  process.stdout.write(json === true ? text : `${table(results)}\nwritten: ${out}\n`);
}

function told({ name, step, of }: Progress): void {
  if (typeof step === 'object')
    process.stderr.write(`\n${name}: ${step.label} is not measured: ${step.why}\n`);
  else tell(typeof step === 'number' ? `${name}: round ${step} of ${of}` : `${name}: ${step}`);
}

/** A line that rewrites itself on a terminal, a line per step elsewhere. */
function tell(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  else if (line !== '') process.stderr.write(`${line}\n`);
}

try {
  await command.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    console.error(`bench: ${(error as Error).stack ?? String(error)}`);
    process.exitCode = 1;
  }
}
