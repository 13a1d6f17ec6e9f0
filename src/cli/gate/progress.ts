/** Progress on stderr while a run goes on: a line that rewrites itself on a terminal, a line per case elsewhere. */
import type { Progress } from '../../harness/run/options.js';

const MARK = { passed: '✓', failed: '✗', undetermined: '?', not_exercised: '–', not_run: '·' } as const;

export function terminalProgress(quiet: boolean): (event: Progress) => void {
  const live = process.stderr.isTTY === true;
  if (quiet && !live) return () => {};
  const running = new Set<string>();
  return (event) => {
    if (event.kind === 'planned') {
      const { checks, cases, estimateMs } = event;
      console.error(`${checks} checks planned, ${cases} cases, about ${Math.ceil(estimateMs / 1000)} s`);
    } else if (event.kind === 'started') {
      running.add(event.id);
      if (live) process.stderr.write(`\r\u001b[K  ${[...running].join(', ')}`);
    } else {
      const { result, done, of } = event;
      running.delete(result.id);
      const line = `${MARK[result.outcome]} ${result.id} (${(result.duration_ms / 1000).toFixed(1)} s)${result.reason === undefined ? '' : `: ${result.reason}`}`;
      if (live && result.outcome === 'passed') process.stderr.write(`\r\u001b[K${done}/${of} ${line}`);
      else console.error(`${live ? '\r\u001b[K' : ''}${done}/${of} ${line}`);
      if (live && done === of) process.stderr.write('\n');
    }
  };
}
