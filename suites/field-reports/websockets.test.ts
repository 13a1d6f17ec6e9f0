/** Public reports about WebSockets: what a frame can do to its reader, and where a client takes its token. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { connect } from 'node:tls';
import { deflateRawSync } from 'node:zlib';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { isTerminalFrame, taskOf } from '../../src/harness/run/observe.js';
import type { ExecutorSubject } from '../../src/harness/subjects/executor-subject.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { wireRequest } from '../../src/harness/wire/request.js';
import { WSS_BINDING } from '../../src/profile/names.js';
import { clientFrame, FRAME } from './client-frame.js';
import { fieldReport } from './field-report.js';

const MIB = 1024 * 1024;
const TEXT = FRAME.final | FRAME.text;
const SUBPROTOCOLS = { WSS: 'oab.a2a.v1', OAB: 'oab.delegation.v1' } as const;

/** Says these frames on a WebSocket of its own; resolves with the close frame's code and reason. */
async function closedFor(
  executor: ExecutorSubject,
  subprotocol: string,
  frames: readonly Buffer[],
): Promise<string> {
  const { host, port } = executor.address();
  const socket = connect({ host, port, ca: readFileSync(executor.ca), servername: 'oab-b.lab' });
  socket.on('error', () => {});
  let bytes = Buffer.alloc(0);
  const upgraded = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.includes('\r\n\r\n')) resolve();
    });
  });
  const lines = [
    'GET / HTTP/1.1',
    'Host: oab-b.lab',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `Sec-WebSocket-Protocol: ${subprotocol}`,
    'Sec-WebSocket-Extensions: permessage-deflate',
    `Authorization: Bearer ${await executor.gate.token(['repo:read'])}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await upgraded;
  const end = bytes.indexOf('\r\n\r\n') + 4;
  const head = bytes.toString('latin1', 0, end);
  assert.match(head, /^HTTP\/1\.1 101 /);
  assert.doesNotMatch(head, /sec-websocket-extensions/i);
  const closed = once(socket, 'close');
  // A close is answered, or its sender waits for that.
  socket.on('data', () => bytes.includes(0x88, end) && socket.end());
  for (const one of frames) socket.write(one);
  await closed;
  const close = bytes.subarray(bytes.lastIndexOf(0x88));
  return `${close.readUInt16BE(2)} ${close.toString('utf8', 4, 2 + close.readUInt8(1))}`;
}

describe('public reports: WebSockets', () => {
  for (const binding of ['WSS', 'OAB'] as const)
    fieldReport(
      'OPEN-30',
      `${binding}: a frame that explodes, breaks or never ends takes its own connection with it and nothing else`,
      async (lab) => {
        const executor = await lab.fresh({ heartbeatMs: 5000 });
        const probe = executor.probe();
        const request = lab.script(executor, 's', ['say one.', 'hold go', 'say end.']);
        const { id } = taskOf(await probe.create(request), 'the create');
        const other = probe.subscribe(String(id));
        await other.until((frames) => frames.length > 0);
        const piece = Buffer.alloc(MIB, 0x20);
        const bad: [string, Buffer[], RegExp][] = [
          [
            'a compressed bomb',
            [clientFrame(TEXT | FRAME.compressed, deflateRawSync(Buffer.alloc(64 * MIB)))],
            /^1002 .*compress/,
          ],
          [
            'a frame above the limit',
            [clientFrame(TEXT, Buffer.alloc(5 * MIB, 0x20))],
            /^1009 .*maxFrameBytes/,
          ],
          [
            'a message that never ends',
            [
              clientFrame(FRAME.text, piece),
              ...Array.from({ length: 5 }, () => clientFrame(FRAME.continued, piece)),
            ],
            /^1009 .*maxFrameBytes/,
          ],
          ['a text that is no UTF-8', [clientFrame(TEXT, Buffer.from([0xff, 0xfe]))], /^1007 .*UTF-8/],
          ['a binary frame', [clientFrame(FRAME.final | FRAME.binary, Buffer.from('{}'))], /^1008 .*binary/],
        ];
        for (const [name, frames, expected] of bad)
          assert.match(await closedFor(executor, SUBPROTOCOLS[binding], frames), expected, name);
        await executor.holds.release(lab.scriptId('s'), 'go');
        await other.until((frames) => frames.some(isTerminalFrame));
        assert.deepEqual(other.strange(), []);
      },
      40_000,
      { binding, topology: 'direct' },
    );

  fieldReport(
    'OPEN-33',
    'WSS: a coordinator sends neither a token nor a byte to whom a card names beside its own host',
    async (lab) => {
      const canary = await openCanary(lab);
      const { gate } = await lab.executor();
      for (const url of [
        `wss://127.0.0.1:${canary.port}/`,
        `wss://oab-b.lab:${canary.port}/`,
        `wss://oab-b.lab@127.0.0.1:${canary.port}/`,
        `wss://127.0.0.1:${canary.port}/oab-b.lab/`,
      ]) {
        const card = (honest: Json) => ({
          ...honest,
          supportedInterfaces: [
            { url, protocolBinding: WSS_BINDING, protocolVersion: '1.0' },
            ...(honest.supportedInterfaces as Json[]),
          ],
        });
        const fake = await lab.fake('gate', { card });
        const { request_id, task, capabilities } = wireRequest(fake.peer, 'a task for nobody');
        const request = { request_id, task, capabilities, deadline_ms: 2000, max_output_bytes: 1024 };
        const run = lab.coordinator().run('delegate', lab.jobTo(fake, gate.keyFile, request));
        const result = await run.result;
        assert.deepEqual([result?.outcome, result?.reason], ['refused', 'NOT_NEGOTIATED'], url);
        assert.ok(fake.received.length > 0, 'the card was not asked for');
        assert.ok(
          fake.received.every(({ authorization }) => !authorization),
          url,
        );
      }
      assert.equal(canary.dialled(), 0);
    },
    40_000,
    { binding: 'WSS', topology: 'direct' },
  );
});

/** Listens where nobody has anything to say. */
async function openCanary(lab: CaseLab): Promise<{ port: number; dialled(): number }> {
  let dialled = 0;
  const server = createServer((socket) => {
    dialled += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  lab.lab.onClose('a canary', async () => void server.close());
  return { port: (server.address() as AddressInfo).port, dialled: () => dialled };
}
