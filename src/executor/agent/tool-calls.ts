/** What the agent said and did with tools in one turn: the basis of side effects, violations and row 2 of the table. */
import { allowedKinds, HARMLESS_KINDS } from '../../profile/capabilities.js';
import { MAX_SIDE_EFFECTS, MAX_TARGET_BYTES } from '../../profile/envelope.js';
import type { SideEffect } from '../../profile/model.js';
import { headOf } from '../split-text.js';
import { cleanLine } from './clean-line.js';

interface Call {
  kind: string;
  title: string;
  status: string;
  denied: boolean;
}

/** More than this many calls in one turn are counted, not kept. */
const MAX_CALLS = 10_000;
const KINDS = new Set([
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
]);

export class ToolCalls {
  readonly #calls = new Map<string, Call>();
  #overflow = false;

  /** Takes a `tool_call` or `tool_call_update`; returns the call when its status is new. */
  update(raw: {
    toolCallId?: unknown;
    kind?: unknown;
    title?: unknown;
    status?: unknown;
  }): { title: string; status: string } | undefined {
    const id = typeof raw.toolCallId === 'string' ? raw.toolCallId : '';
    const before = this.#calls.get(id);
    const call: Call = before ?? { kind: 'other', title: '', status: '', denied: false };
    if (typeof raw.kind === 'string') call.kind = KINDS.has(raw.kind) ? raw.kind : 'other';
    if (typeof raw.title === 'string') call.title = cleanLine(raw.title);
    const status =
      typeof raw.status === 'string' ? raw.status : before === undefined ? 'pending' : call.status;
    if (before === undefined) {
      if (this.#calls.size >= MAX_CALLS) {
        this.#overflow = true;
        return undefined;
      }
      this.#calls.set(id, call);
    }
    if (status === call.status) return undefined;
    call.status = status;
    // It goes on although it was denied: what it does from here on is not ruled out by our answer.
    if (status === 'in_progress') call.denied = false;
    return { title: call.title, status };
  }

  /** The kind that was announced for a call, if it was. */
  kindOf(id: string): string | undefined {
    return this.#calls.get(id)?.kind;
  }

  denied(id: string, kind: string, title: string): void {
    this.update({ toolCallId: id, kind, title });
    const call = this.#calls.get(id);
    if (call !== undefined) call.denied = true;
  }

  /** A call that may have an effect has no final status. */
  get open(): boolean {
    return (
      this.#overflow ||
      [...this.#calls.values()].some(
        (call) => !HARMLESS_KINDS.has(call.kind) && !call.denied && !isFinal(call.status),
      )
    );
  }

  violations(effective: readonly string[]): string[] {
    const allowed = allowedKinds(effective);
    const completed = [...this.#calls.values()].filter(({ status }) => status === 'completed');
    return [...new Set(completed.map(({ kind }) => kind).filter((kind) => !allowed.has(kind)))];
  }

  /** One entry per call that is not harmless, in the order in which they were announced. */
  sideEffects(): SideEffect[] {
    const effects: SideEffect[] = [];
    for (const [id, { kind, title, status, denied }] of this.#calls) {
      if (HARMLESS_KINDS.has(kind)) continue;
      if (effects.length > MAX_SIDE_EFFECTS) break;
      const target = headOf(title, MAX_TARGET_BYTES);
      const final = isFinal(status);
      effects.push({
        kind,
        ...(id === '' ? {} : { tool_call_id: asciiId(id) }),
        ...(target === '' ? {} : { target }),
        evidence: denied && status !== 'completed' ? 'denied' : final ? 'observed' : 'unverified',
      });
    }
    return effects;
  }
}

function isFinal(status: string): boolean {
  return status === 'completed' || status === 'failed';
}

/** ≤ 128 visible ASCII, as the envelope demands of ids. */
function asciiId(id: string): string {
  return id.replace(/[^\x21-\x7e]/gu, '_').slice(0, 128);
}
