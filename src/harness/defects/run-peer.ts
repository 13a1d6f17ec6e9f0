/** Runs a reference peer with parts of the harness's choosing, as its own command would run it; only the role's own code is loaded. */
import { cancelExitCode } from '../../coordinator/cancel.js';
import { exitCodeOf, type Line } from '../../coordinator/lines.js';
import type { Defect } from './defect.js';

/** `config` is the executor's or the relay's file; a coordinator reads its job from OAB_GATE_JOB. Ends the process. */
export async function runPeer(
  role: string,
  config: string,
  change: Pick<Defect, 'executor' | 'coordinator' | 'relay'>,
): Promise<void> {
  if (role === 'executor') {
    const { runExecutor } = await import('../../peer/executor.js');
    await runExecutor(config, change.executor);
    process.exit(0);
  }
  if (role === 'relay') {
    const { runRelay } = await import('../../peer/relay.js');
    await runRelay(config, change.relay);
    process.exit(0);
  }
  const { prepareJob } = await import('../../peer/job.js');
  const { ask } = await import('../../peer/coordinator-client.js');
  const { config: file, question } = prepareJob(process.env.OAB_GATE_JOB ?? '');
  const print = (line: Line) => void process.stdout.write(`${JSON.stringify(line)}\n`);
  const answer = await ask(file, question, print, new AbortController().signal, change.coordinator);
  process.stdout.write('', () =>
    process.exit('outcome' in answer ? exitCodeOf(answer) : cancelExitCode(answer)),
  );
}
