/** `session/update` to agent events (harness contract, "From ACP to A2A events"); pure. */
import type { Part } from '../../profile/model.js';
import { cleanLine } from './clean-line.js';
import type { AgentEvent } from './runner.js';
import type { ToolCalls } from './tool-calls.js';

type Raw = Record<string, unknown>;

/** Thoughts, usage, modes and commands are counted by the caller and become nothing. */
export function translateUpdate(update: Raw, calls: ToolCalls): AgentEvent | undefined {
  switch (update.sessionUpdate) {
    case 'agent_message_chunk':
      return fromContent(update.content as Raw | undefined);
    case 'tool_call':
    case 'tool_call_update': {
      const changed = calls.update(update);
      return changed && { type: 'status', text: cleanLine(`${changed.status}: ${changed.title}`) };
    }
    case 'plan': {
      const entries = Array.isArray(update.entries) ? (update.entries as (Raw | null)[]) : [];
      const lines = entries.slice(0, 16).map((entry) => `[${text(entry?.status)}] ${text(entry?.content)}`);
      return { type: 'status', text: cleanLine(`plan: ${lines.join('; ')}`) };
    }
    default:
      return undefined;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fromContent(content: Raw | undefined): AgentEvent | undefined {
  switch (content?.type) {
    case 'text':
      return text(content.text) === '' ? undefined : { type: 'text', text: wellFormed(text(content.text)) };
    case 'image':
    case 'audio':
      return artifact({ raw: text(content.data), mediaType: text(content.mimeType) });
    case 'resource': {
      const resource = (content.resource ?? {}) as Raw;
      const mediaType = text(resource.mimeType);
      const part: Part =
        typeof resource.text === 'string'
          ? { text: wellFormed(resource.text) }
          : { raw: text(resource.blob) };
      return artifact({ ...part, mediaType }, text(resource.uri));
    }
    case 'resource_link':
      return artifact(
        { text: cleanLine(text(content.uri)), mediaType: text(content.mimeType) },
        text(content.name),
      );
    default:
      return undefined;
  }
}

function artifact(part: Part, name?: string): AgentEvent | undefined {
  if (part.raw !== undefined) {
    const canonical = Buffer.from(part.raw, 'base64').toString('base64');
    if (canonical === '') return undefined;
    part.raw = canonical;
  }
  const mediaType = cleanLine(part.mediaType ?? '');
  if (mediaType === '') delete part.mediaType;
  else part.mediaType = mediaType;
  const label = name === undefined ? '' : cleanLine(name.split('/').at(-1) ?? '');
  return { type: 'artifact', ...(label === '' ? {} : { name: label }), parts: [part] };
}

/** A lone surrogate cannot be hashed or sent; an agent's text may hold one. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{FFFD}');
}
