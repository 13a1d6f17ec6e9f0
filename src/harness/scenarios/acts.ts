/** What an agent that follows a script does as an executor must show it: docs/agent.md, and ACP's updates as A2A's events. */
import type { Part } from '../../profile/model.js';

export type Act =
  /** Of the one artifact that the agent's text goes into. */
  | { kind: 'text'; text: string }
  | { kind: 'artifact'; parts: Part[] }
  /** A status whose message has these words; the sentence around them is the executor's own. */
  | { kind: 'progress'; words: string[] };

export interface Turn {
  acts: Act[];
  /** Tool calls that are no mere reading, in order. */
  effects: { kind: string; tool_call_id: string; evidence: 'observed' | 'denied' }[];
  /** The text behind the last tool call, or all of it. */
  summary: string;
  stopReason: string;
}

/** Kinds that `repo:read` allows (profile section 5). */
const READING = ['read', 'search', 'think'];
/** What every `say` ends with, in place of the case's own mark. */
export const MARK = '<mark>';

/** The whole turn of a script without hold points. Throws for a command that it has no rule for. */
export function turnOf(script: readonly string[]): Turn {
  const turn: Turn = { acts: [], effects: [], summary: '', stopReason: 'end_turn' };
  let calls = 0;
  let all = '';
  let since = '';
  const say = (text: string) => {
    turn.acts.push({ kind: 'text', text });
    all += text;
    since += text;
  };
  const call = (title: string, statuses: readonly string[]) => {
    since = '';
    for (const status of statuses) turn.acts.push({ kind: 'progress', words: [title, status] });
  };
  for (const line of script) {
    const [command, first = '', ...others] = line.split(' ');
    const rest = [first, ...others].join(' ');
    const title = others.join(' ');
    switch (command) {
      case 'say':
        say(`${rest} ${MARK}`);
        break;
      case 'chunks': {
        const size = Number(others[1]);
        for (let n = 1; n <= Number(first); n += 1) say(`${n}:`.padEnd(size, '.'));
        break;
      }
      case 'tool':
      case 'tool-failed':
        calls += 1;
        if (!READING.includes(first)) throw new Error(`no rule for ${line}: it would break the grant`);
        call(title, ['pending', 'in_progress', command === 'tool' ? 'completed' : 'failed']);
        break;
      case 'ask': {
        calls += 1;
        const allowed = READING.includes(first);
        call(title, ['pending', allowed ? 'completed' : 'denied']);
        if (!allowed) turn.effects.push({ kind: first, tool_call_id: `call-${calls}`, evidence: 'denied' });
        break;
      }
      case 'plan':
        turn.acts.push({ kind: 'progress', words: [...rest.split('; '), 'pending'] });
        break;
      case 'image':
        turn.acts.push({ kind: 'artifact', parts: [{ raw: 'iVBORw0KGgo=', mediaType: 'image/png' }] });
        break;
      case 'resource':
        turn.acts.push({ kind: 'artifact', parts: [{ text: rest, mediaType: 'text/plain' }] });
        break;
      case 'stop':
        turn.stopReason = first;
        break;
      default:
        throw new Error(`no rule for ${line}`);
    }
  }
  turn.summary = (since.trim() === '' ? all : since).trim();
  return turn;
}
