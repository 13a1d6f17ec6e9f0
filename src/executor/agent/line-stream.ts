/** NDJSON from the agent as ACP messages: bounded lines, bounded noise, and no reading ahead of the consumer. */
import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { MAX_LINE_BYTES, MAX_NOISE_LINES } from './config.js';

/** The agent's output is no ACP. */
export class AgentProtocolError extends Error {
  override name = 'AgentProtocolError';
}

/**
 * `room` is awaited before each message is handed on: while nobody takes events, nothing is read, and the pipe holds
 * the agent back. `broken` is told when the stream is no ACP.
 */
export function lineStream(
  stdin: Writable,
  stdout: Readable,
  room: () => Promise<void>,
  broken: (error: Error) => void,
): Stream {
  const lines = messages(stdout);
  return {
    readable: new ReadableStream<AnyMessage>(
      {
        async pull(controller) {
          try {
            await room();
            const { value, done } = await lines.next();
            if (done === true) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            broken(error as Error);
            controller.error(error);
          }
        },
        cancel: () => void stdout.destroy(),
      },
      { highWaterMark: 0 },
    ),
    writable: new WritableStream<AnyMessage>({
      write: (message) =>
        new Promise<void>((resolve) => {
          // An agent that closed its input shows by its exit, not by our write.
          stdin.write(`${JSON.stringify(message)}\n`, () => resolve());
        }),
    }),
  };
}

async function* messages(stdout: Readable): AsyncGenerator<AnyMessage> {
  let noise = 0;
  for await (const line of split(stdout)) {
    if (line.trim() === '') continue;
    const message = parse(line);
    if (message !== undefined) yield message;
    else if (++noise > MAX_NOISE_LINES) throw new AgentProtocolError('too many lines that are no message');
  }
}

function parse(line: string): AnyMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as AnyMessage)
      : undefined;
  } catch {
    // Counted by the caller as noise.
    return undefined;
  }
}

/** Lines end at LF alone: U+2028 and CR are text (OPEN-47). */
async function* split(stdout: Readable): AsyncGenerator<string> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      held.push(chunk.subarray(start, end));
      yield Buffer.concat(held).toString('utf8');
      held = [];
      size = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    size += rest.length;
    if (size > MAX_LINE_BYTES) throw new AgentProtocolError('a line above the limit');
    if (rest.length > 0) held.push(rest);
  }
  if (size > 0) yield Buffer.concat(held).toString('utf8');
}
