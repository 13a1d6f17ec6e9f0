/** What a tap remembers of one connection: every chunk's time, place and size, and its bytes up to a bound. */
import { redact } from '../../telemetry/redact.js';
import type { Direction, WireChunk } from './ports.js';
import { followConnection } from './tls/follow.js';
import { legible } from './websocket-messages.js';

const MAX_CHUNKS = 20_000;
/** Printed per direction; evidence is read by people. */
const MAX_PRINTED = 64 * 1024;

export interface WireRecording {
  readonly chunks: readonly WireChunk[];
  /** Whether some bytes were not kept. */
  readonly truncated: boolean;
  add(direction: Direction, offset: number, bytes: Buffer, atMs: number): void;
  bytes(direction: Direction): Buffer;
}

/** @param keep bytes kept per direction: the first half of them, and the last */
export function createRecording(keep: number): WireRecording {
  const chunks: WireChunk[] = [];
  const kept: Record<Direction, { head: number; tail: WireChunk[]; tailBytes: number }> = {
    upstream: { head: 0, tail: [], tailBytes: 0 },
    downstream: { head: 0, tail: [], tailBytes: 0 },
  };
  let truncated = false;

  return {
    chunks,
    get truncated() {
      return truncated;
    },
    add(direction, offset, bytes, atMs) {
      if (chunks.length >= MAX_CHUNKS) {
        truncated = true;
        return;
      }
      const chunk: WireChunk = { at_ms: atMs, direction, offset, length: bytes.length, bytes };
      chunks.push(chunk);
      const mine = kept[direction];
      if (mine.head + bytes.length <= keep / 2) {
        mine.head += bytes.length;
        return;
      }
      mine.head = keep;
      mine.tail.push(chunk);
      mine.tailBytes += bytes.length;
      while (mine.tailBytes > keep / 2 && mine.tail.length > 1) {
        const oldest = mine.tail.shift() as WireChunk;
        mine.tailBytes -= oldest.length;
        delete oldest.bytes;
        truncated = true;
      }
    },
    bytes: (direction) =>
      Buffer.concat(chunks.flatMap((chunk) => (chunk.direction === direction && chunk.bytes) || [])),
  };
}

/** What the connection carried, read through TLS where the client logged its secrets; empty where it did not. */
export function plainText({ chunks }: WireRecording): Record<Direction, Buffer> {
  const followed = followConnection();
  const pieces: Record<Direction, Buffer[]> = { upstream: [], downstream: [] };
  for (const { direction, bytes } of chunks)
    if (bytes !== undefined)
      pieces[direction].push(...followed.push(direction, bytes).map((one) => one.bytes));
  return { upstream: Buffer.concat(pieces.upstream), downstream: Buffer.concat(pieces.downstream) };
}

/**
 * Timeline first, then each direction's content as a whole: a secret that was split over two reads is still found by
 * the redaction.
 */
export function printRecording(title: string, recording: WireRecording): string {
  const lines = [title];
  const plain = plainText(recording);
  for (const chunk of recording.chunks) {
    const arrow = chunk.direction === 'upstream' ? '>' : '<';
    const end = chunk.offset + chunk.length;
    lines.push(`  ${arrow} +${chunk.at_ms.toFixed(1)} ms  ${chunk.offset}..${end}  ${chunk.length} bytes`);
  }
  for (const direction of ['upstream', 'downstream'] as const) {
    const text = redact(legible(plain[direction]));
    if (text === '') continue;
    lines.push(`  ${direction}${recording.truncated ? ' (with gaps)' : ''}:`, indent(shorten(text)));
  }
  return lines.join('\n');
}

function shorten(text: string): string {
  if (text.length <= MAX_PRINTED) return text;
  const half = MAX_PRINTED / 2;
  return `${text.slice(0, half)}\n[${text.length - MAX_PRINTED} characters left out]\n${text.slice(-half)}`;
}

function indent(text: string): string {
  // Control characters of a wire must not reach somebody's terminal.
  const printable = text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    (character) => (character === '\r' ? '' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`),
  );
  return printable
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
