/** Lines of a delegation, for people or for scripts. */
import type { Line, ResultLine, Sink } from '../../coordinator/lines.js';
import type { Part } from '../../profile/model.js';

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
      return `${paint(1, printable(line.task_id))} accepted by ${line.peer} (request ${line.request_id}); its progress is its own word`;
    case 'event':
      return `${paint(2, String(line.sequence).padStart(4))}  ${eventText(line.event)}`;
    case 'result':
      return resultText(line, paint);
  }
}

function eventText(event: Extract<Line, { type: 'event' }>['event']): string {
  if ('statusUpdate' in event) {
    const { state, message } = event.statusUpdate.status;
    return printable(`${state.replace('TASK_STATE_', '').toLowerCase()} ${textOf(message?.parts)}`);
  }
  const { artifact } = event.artifactUpdate;
  return printable(`${artifact?.artifactId ?? ''} ${textOf(artifact?.parts)}`);
}

/** The binding checks what the coordinator relies on; of the rest anything may be absent. */
function textOf(parts: readonly Part[] | undefined): string {
  if (!Array.isArray(parts)) return '';
  return (parts as readonly Part[]).map((part) => part.text ?? `[${part.mediaType ?? 'data'}]`).join('');
}

function resultText(line: ResultLine, paint: (code: number, text: string) => string): string {
  const shown = paint(line.outcome === 'completed' ? 32 : 31, line.outcome);
  const proof = line.verified
    ? `verified: signed by ${line.envelope?.executed_by ?? ''}, ${line.observation ?? ''} log`
    : `not verified: ${printable(line.reason ?? '')}`;
  const parts = [`${shown} (${proof})`];
  if (line.envelope !== null) {
    const { summary, error, effective_capabilities, side_effects } = line.envelope;
    if (summary !== '') parts.push(`  ${printable(summary)}`);
    if (error !== null) parts.push(`  ${printable(`${error.code}: ${error.message}`)}`);
    const effects = side_effects.map(({ kind, evidence }) => `${kind} (${evidence})`).join(', ');
    parts.push(
      `  ${printable(`capabilities ${effective_capabilities.join(', ') || 'none'}; side effects ${effects || 'none'}`)}`,
    );
  }
  return parts.join('\n');
}

/**
 * A remote text on somebody's terminal: no control sequence of it is ever carried out, and none of its lines can pass
 * for one of ours.
 */
export function printable(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => (character === '\n' ? '\n' : '\u{FFFD}'))
    .replaceAll('\n', '\n      ');
}
