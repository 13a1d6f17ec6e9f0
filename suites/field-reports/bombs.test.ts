/** Public reports about messages that grow when they are unpacked, or that are too long: one connection ends, and nothing else. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:tls';
import { deflateRawSync } from 'node:zlib';
import { within } from '../../src/harness/lab/deadline.js';
import type { RelayPair } from '../../src/harness/subjects/relay-pair.js';
import { clientFrame, FRAME } from './client-frame.js';
import { fieldReport } from './field-report.js';

const MIB = 1024 * 1024;
/** What the relay takes as one message. */
const LONGEST = MIB;
const BINARY = FRAME.final | FRAME.binary;

/** An upgrade that offers compression; its answer's head, and what close code or end comes of a message. */
async function upgraded({ place, token, route }: RelayPair, kind: 'tunnel' | 'connect', who: string) {
  const socket = connect({ ...place, minVersion: 'TLSv1.3' });
  socket.on('error', () => {});
  let heard = Buffer.alloc(0);
  let wake = () => {};
  socket.on('data', (chunk: Buffer) => {
    heard = Buffer.concat([heard, chunk]);
    wake();
  });
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(
    `GET /${kind}/${encodeURIComponent(route)} HTTP/1.1\r\nHost: ${place.servername}\r\nConnection: Upgrade\r\n` +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
      `Sec-WebSocket-Protocol: oab.${kind}.v1\r\nSec-WebSocket-Extensions: permessage-deflate\r\n` +
      `Authorization: Bearer ${await token(who)}\r\n\r\n`,
  );
  while (!heard.includes('\r\n\r\n'))
    await Promise.race([new Promise<void>((resolve) => (wake = resolve)), gone]);
  const at = heard.indexOf('\r\n\r\n') + 4;
  const head = heard.toString('latin1', 0, at);
  return {
    head,
    /** The code of the close frame that is the last of what comes. */
    async closedBy(bytes: Buffer): Promise<number> {
      socket.write(bytes);
      await within(gone, 10_000, 'the close');
      return heard.at(-4) === 0x88 ? heard.readUInt16BE(heard.length - 2) : 0;
    },
    socket,
  };
}

for (const [kind, who] of [
  ['connect', 'gate'],
  ['tunnel', 'oab-c'],
] as const)
  fieldReport(
    'OPEN-30',
    `${kind}: a bomb and a message that is too long end their own connection alone`,
    async (lab) => {
      const pair = await lab.relayPair();
      await pair.tunnel((connection) => void connection.pipe(connection)).up;
      const before = await pair.open('connect');
      const pid = pair.pid();
      const route = kind === 'tunnel' ? 'oab-c.lab:443' : pair.route;

      const bomb = await upgraded({ ...pair, route }, kind, who);
      assert.match(bomb.head, /^HTTP\/1\.1 101 /);
      assert.doesNotMatch(bomb.head, /^sec-websocket-extensions/im);
      const packed = deflateRawSync(Buffer.alloc(64 * MIB));
      assert.ok(packed.length < 100 * 1024);
      // To whoever did not agree to it, a compressed message is none (RFC 7692 section 6).
      assert.equal(await bomb.closedBy(clientFrame(BINARY | FRAME.compressed, packed)), 1002);
      const long = await upgraded({ ...pair, route }, kind, who);
      assert.equal(await long.closedBy(clientFrame(BINARY, Buffer.alloc(LONGEST + 1))), 1009);

      // What was there before goes on, what comes after is taken, in the same process.
      const body = randomBytes(1000);
      for (const way of [before, await pair.open('websocket')]) {
        const back = new Promise<Buffer>((resolve) => {
          let all = Buffer.alloc(0);
          way.on('data', (chunk: Buffer) => {
            all = Buffer.concat([all, chunk]);
            if (all.length >= body.length) resolve(all);
          });
        });
        way.write(body);
        assert.ok((await within(back, 10_000, 'an echo')).equals(body));
        way.destroy();
      }
      assert.equal(pair.pid(), pid);
    },
  );

fieldReport('OPEN-30', 'a message of exactly the longest length passes', async (lab) => {
  const pair = await lab.relayPair();
  await pair.tunnel((connection) => void connection.pipe(connection)).up;
  const way = await pair.open('websocket');
  const body = randomBytes(LONGEST);
  const chunks: Buffer[] = [];
  const back = new Promise<void>((resolve) => {
    let count = 0;
    way.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      count += chunk.length;
      if (count >= body.length) resolve();
    });
  });
  // One write is one message.
  way.write(body);
  await within(back, 10_000, 'the echo');
  assert.ok(Buffer.concat(chunks).equals(body));
  way.destroy();
});
