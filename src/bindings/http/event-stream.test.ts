import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { writeAnswer, writeEvents } from './event-stream.js';

const HEARTBEAT_MS = 100;
/** More than any kernel keeps for a reader that takes nothing. */
const MANY = 64;
const FRAME = `data: ${'x'.repeat(1024 * 1024)}\n\n`;

describe('a stream of events', () => {
  let server: Server;
  let client: Socket;
  afterEach(() => {
    client.destroy();
    server.close();
  });

  /** Serves one stream, and a client that has asked for it and reads nothing yet. */
  async function serve(write: (response: ServerResponse) => Promise<void>) {
    let answered: (done: Promise<void>) => void = () => {};
    const done = new Promise<void>((resolve, reject) => {
      answered = (writing) => writing.then(resolve, reject);
    });
    server = createServer((_request, response) => answered(write(response)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    return { done };
  }
  async function* frames(count: number): AsyncGenerator<string> {
    for (let left = count; left > 0; left -= 1) yield FRAME;
  }

  it('lets a reader go that takes nothing, and ends its source', async () => {
    let ended = false;
    let open: ServerResponse | undefined;
    async function* source() {
      try {
        yield* frames(MANY);
      } finally {
        ended = true;
      }
    }
    const { done } = await serve((response) => {
      open = response;
      return writeEvents(response, source(), HEARTBEAT_MS);
    });
    await done;
    assert.deepEqual([ended, open?.destroyed, open?.writableFinished], [true, true, false]);
  });

  it('lets the reader of a whole answer go in the same way, and says so once', async () => {
    let open: ServerResponse | undefined;
    let told = 0;
    const { done } = await serve((response) => {
      open = response;
      return writeAnswer(response, FRAME.repeat(MANY), HEARTBEAT_MS, () => {
        told += 1;
      });
    });
    await done;
    assert.deepEqual([told, open?.destroyed, open?.writableFinished], [1, true, false]);
  });

  it('sends a whole answer to one that takes it', async () => {
    const { done } = await serve((response) =>
      writeAnswer(response, FRAME.repeat(MANY), HEARTBEAT_MS, () => assert.fail('let go')),
    );
    client.resume();
    await done;
    if (!client.closed) await once(client, 'close');
  });

  it('keeps one that takes a little at each look', async () => {
    const { done } = await serve((response) => writeEvents(response, frames(MANY), HEARTBEAT_MS));
    let bytes = 0;
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    client.resume();
    await done;
    if (!client.closed) await once(client, 'close');
    assert.ok(bytes > MANY * FRAME.length, String(bytes));
  });

  it('keeps an idle one alive by comments', async () => {
    let enough: () => void = () => {};
    async function* idle() {
      yield 'data: first\n\n';
      await new Promise<void>((resolve) => {
        enough = resolve;
      });
    }
    const { done } = await serve((response) => writeEvents(response, idle(), HEARTBEAT_MS));
    let text = '';
    client.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.split(':\n\n').length > 4) enough();
    });
    client.resume();
    await done;
  });
});
