/** What a server may send in any of the protocols, read strictly: anything else is no answer of the peer's. */
import type { z } from 'zod';
import { type PeerRefusal, PeerUnreachable } from '../../coordinator/connection.js';
import { peerJson } from '../unreachable.js';
import { type Id, type StreamEndReason, streamEndFrame } from './shapes.js';

export type ServerFrame =
  | { kind: 'result'; id: Id; result: unknown }
  /** Without an id: a frame of ours could not even be read. */
  | { kind: 'refusal'; id: Id | null; refusal: PeerRefusal }
  | { kind: 'end'; id: Id; reason: StreamEndReason };

/** Throws PeerUnreachable. */
export type ReadServerFrame = (text: string) => ServerFrame;

/** `answer` reads what is no end of a stream, and throws PeerUnreachable. */
export function serverFrames(answer: (members: object) => ServerFrame): ReadServerFrame {
  return (text) => {
    const value = peerJson(text, 'a frame');
    const members = typeof value === 'object' && value !== null ? value : {};
    if (!('method' in members)) return answer(members);
    return { kind: 'end', ...readShape(streamEndFrame, value).params };
  };
}

export function readShape<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new PeerUnreachable(`a frame that no server sends: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
}
