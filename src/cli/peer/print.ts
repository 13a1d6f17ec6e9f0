/** Lines of a delegation, for people or for scripts. */
import type { Line, ResultLine, Sink } from '../../coordinator/lines.js';

/** NDJSON with `json`; else a line a person reads, coloured on a terminal only. */
export function printer(json: boolean): Sink {
  if (json) return (line) => void process.stdout.write(`${JSON.stringify(line)}\n`);
  const colour = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
  return (line) => void process.stdout.write(`${human(line, colour)}\n`);
}

function human(line: Line, colour: boolean): string {
  const paint = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  switch (line.type) {
    case 'accepted':
      return `${paint(1, line.task_id)} accepted by ${line.peer} (request ${line.request_id})`;
    case 'event':
      return `${paint(2, String(line.sequence).padStart(4))}  ${eventText(line.event)}`;
    case 'result':
      return resultText(line, paint);
  }
}

function eventText(event: Extract<Line, { type: 'event' }>['event']): string {
  if ('statusUpdate' in event) {
    const { state, message } = event.statusUpdate.status;
    return printable(`${state.replace('TASK_STATE_', '').toLowerCase()} ${message?.parts[0]?.text ?? ''}`);
  }
  const { artifact } = event.artifactUpdate;
  const text = artifact.parts.map((part) => part.text ?? `[${part.mediaType ?? 'data'}]`).join('');
  return printable(`${artifact.artifactId} ${text}`);
}

function resultText(line: ResultLine, paint: (code: number, text: string) => string): string {
  const shown = line.outcome === 'completed' ? paint(32, line.outcome) : paint(31, line.outcome);
  const proof = line.verified
    ? `verified: signed by ${line.envelope?.executed_by ?? ''}, ${line.observation ?? ''} log`
    : `not verified: ${line.reason ?? ''}`;
  const parts = [`${shown} (${proof})`];
  if (line.envelope !== null) {
    const { summary, error, effective_capabilities, side_effects } = line.envelope;
    if (summary !== '') parts.push(printable(summary));
    if (error !== null) parts.push(printable(`${error.code}: ${error.message}`));
    parts.push(
      `capabilities ${effective_capabilities.join(', ') || 'none'}; side effects ${side_effects.map(({ kind, evidence }) => `${kind} (${evidence})`).join(', ') || 'none'}`,
    );
  }
  return parts.join('\n');
}

/** A remote text on somebody's terminal: no control sequence of it is ever carried out. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => (character === '\n' ? '\n' : '\u{FFFD}'));
}
