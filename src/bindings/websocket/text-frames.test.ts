import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { textFrames } from './text-frames.js';

describe('text frames of a server', () => {
  it('are read by ws as what they hold, whatever their length and letters', async () => {
    const texts = [
      '',
      'a',
      'ä€😀',
      ...[125, 126, 65_535, 65_536].flatMap((n) => ['x'.repeat(n), 'ü'.repeat(n)]),
    ];
    const server = createServer();
    const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    server.on('upgrade', (request, socket: Duplex, head) =>
      sockets.handleUpgrade(request, socket, head, (ws) => {
        ws.send('before');
        socket.write(textFrames(texts));
        ws.send('behind');
        ws.close();
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const got: string[] = [];
    client.on('message', (data) => got.push(String(data)));
    await once(client, 'close');
    server.close();
    assert.deepEqual(got, ['before', ...texts, 'behind']);
  });
});
