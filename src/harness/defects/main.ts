/** Starts a defective variant of a reference peer. In no `bin`, imported by nothing but the harness's own start commands. */
import { cancelExitCode } from '../../coordinator/cancel.js';
import { exitCodeOf, type Line } from '../../coordinator/lines.js';
import { ask } from '../../peer/coordinator-client.js';
import { runExecutor } from '../../peer/executor.js';
import { prepareJob } from '../../peer/job.js';
import { defects } from './registry.js';

const [, , id = '', role = '', config = ''] = process.argv;
const defect = defects.find((one) => one.id === id);
if (defect === undefined) throw new Error(`no defect ${id}`);

if (role === 'executor') {
  await runExecutor(config, defect.executor);
  process.exit(0);
}
const { config: file, question } = prepareJob(process.env.OAB_GATE_JOB ?? '');
const print = (line: Line) => void process.stdout.write(`${JSON.stringify(line)}\n`);
const answer = await ask(file, question, print, new AbortController().signal, defect.coordinator);
process.stdout.write('', () =>
  process.exit('outcome' in answer ? exitCodeOf(answer) : cancelExitCode(answer)),
);
