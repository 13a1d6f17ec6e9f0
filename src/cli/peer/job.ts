/** The harness's contract for a coordinator: one action per run, described by the file that OAB_GATE_JOB names. */
import { cancelExitCode } from '../../coordinator/cancel.js';
import { exitCodeOf, type Line } from '../../coordinator/lines.js';
import { untilInterrupted } from './interrupt.js';

export async function runJob(file: string): Promise<number> {
  const { prepareJob } = await import('../../peer/job.js');
  const { ask } = await import('../../peer/coordinator-client.js');
  const { config, question } = prepareJob(file);
  const print = (line: Line) => void process.stdout.write(`${JSON.stringify(line)}\n`);
  const answer = await ask(config, question, print, untilInterrupted());
  return 'outcome' in answer ? exitCodeOf(answer) : cancelExitCode(answer);
}
