/** Two ends that say what was drawn for them, in pieces, one of them done before the other goes on: and what each has heard. */
import type { Duplex } from 'node:stream';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Random } from '../../src/harness/seed.js';
import { oddBytes } from './odd-bytes.js';

export type Side = 'client' | 'server';

export interface Conversation {
  says: Readonly<Record<Side, readonly Buffer[]>>;
  /** Says all it has and ends its direction; only then the other side says its last part. */
  endsFirst: Side;
}

/** What one side heard, and that it heard the end. */
export interface Heard {
  bytes: Buffer;
  end: boolean;
}

const MAX_PIECE = 40_000;

export function conversation(random: Random): Conversation {
  return {
    says: { client: pieces(oddBytes(random), random), server: pieces(oddBytes(random), random) },
    endsFirst: random.pick(['client', 'server']),
  };
}

/** Cut anywhere, also inside a character, a line end or a chunk's size. */
function pieces(bytes: Buffer, random: Random): Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = random.pick([1, 2, random.int(1, 100), random.int(1, MAX_PIECE)]);
    cut.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cut;
}

/** Plays one side to its end. What has gone wrong shows in what was heard, and in what the other side heard. */
export async function play(end: Duplex, side: Side, { says, endsFirst }: Conversation): Promise<Heard> {
  const heard: Buffer[] = [];
  let ended = false;
  end.on('data', (chunk: Buffer) => heard.push(chunk));
  const otherIsDone = new Promise<void>((resolve) => {
    end.once('end', () => {
      ended = true;
      resolve();
    });
    end.once('close', resolve);
    end.on('error', () => {});
  });
  const mine = says[side];
  const held = side === endsFirst ? mine.length : Math.ceil(mine.length / 2);
  await write(end, mine.slice(0, held));
  if (side !== endsFirst) {
    await otherIsDone;
    await write(end, mine.slice(held));
  }
  end.end();
  await otherIsDone;
  return { bytes: Buffer.concat(heard), end: ended };
}

async function write(end: Duplex, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (!end.writable) return;
    if (!end.write(piece)) await new Promise<void>((resolve) => onceAny(end, ['drain', 'close'], resolve));
    else await breathe();
  }
}

function onceAny(end: Duplex, events: readonly string[], done: () => void): void {
  const go = () => {
    for (const event of events) end.off(event, go);
    done();
  };
  for (const event of events) end.on(event, go);
}

/** Where what was heard is not what was said; undefined when it is. */
export function difference(said: Buffer, heard: Buffer): string | undefined {
  if (said.equals(heard)) return undefined;
  const least = Math.min(said.length, heard.length);
  let at = 0;
  while (at < least && said[at] === heard[at]) at += 1;
  const show = (bytes: Buffer) => JSON.stringify(bytes.subarray(at, at + 24).toString('latin1'));
  return `${heard.length} bytes in place of ${said.length}, from ${at} on ${show(heard)} in place of ${show(said)}`;
}
