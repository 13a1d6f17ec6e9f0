/** A raw WebSocket of text frames: upgrade and frames written here, read by the laboratory's own reader. */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Address } from '../lab/ports.js';
import { createWebSocketReader } from '../lab/websocket-reader.js';
import { asWireEnd, type WireEnd } from './http.js';
import { type Reach, reach } from './reach.js';

export interface FrameUpgrade {
  address: Address;
  reach: Reach;
  host: string;
  path: string;
  /** What is offered, and must be chosen. */
  subprotocol: string;
  token: string | null;
  /** Further lines, as they are. */
  headers: Readonly<Record<string, string>>;
}

export interface FrameEvents {
  open(): void;
  /** The upgrade was answered, and not with a WebSocket. */
  refused(status: number, text: string): void;
  frame(text: string): void;
  ping(): void;
  /** Once: how it ended; `code` of a close frame. */
  ended(kind: WireEnd['kind'] | 'fin', code?: number): void;
}

export interface FrameSocket {
  send(frame: unknown): void;
  pause(): void;
  resume(): void;
  close(): void;
}

const TEXT = 0x1;
const CLOSE = 0x8;
const PONG = 0xa;
/** A close frame that names none (RFC 6455 section 7.1.5). */
const NO_CODE = 1005;

export function openFrameSocket(upgrade: FrameUpgrade, events: FrameEvents): FrameSocket {
  let socket: Socket | undefined;
  let closed = false;
  let over = false;
  let code: number | undefined;
  const end = (kind: WireEnd['kind'] | 'fin') => {
    if (over) return;
    over = true;
    events.ended(kind, code);
  };
  reach(upgrade.reach, upgrade.address, (error, connected) => {
    if (error !== null) return end(asWireEnd(error).kind);
    socket = connected;
    if (closed) {
      connected.destroy();
      return;
    }
    connected.setNoDelay(true);
    connected.on('error', (failure) => end(asWireEnd(failure).kind));
    connected.on('close', () => end('fin'));
    connected.on('end', () => {
      end('fin');
      connected.destroy();
    });
    connected.write(headOf(upgrade));
    let head: Buffer | undefined = Buffer.alloc(0);
    const reader = createWebSocketReader();
    connected.on('data', (chunk: Buffer) => {
      let bytes = chunk;
      if (head !== undefined) {
        head = Buffer.concat([head, chunk]);
        const at = head.indexOf('\r\n\r\n');
        if (at === -1) return;
        const lines = head.toString('latin1', 0, at);
        const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(lines)?.[1] ?? 0);
        const chosen = /^sec-websocket-protocol: *(.*)$/im.exec(lines)?.[1]?.trim();
        if (status !== 101 || chosen !== upgrade.subprotocol) {
          events.refused(status === 101 ? 0 : status, head.toString('utf8'));
          connected.destroy();
          return;
        }
        bytes = head.subarray(at + 4);
        head = undefined;
        events.open();
      }
      for (const { kind, payload } of reader.push(bytes)) {
        if (kind === 'text') events.frame(payload.toString('utf8'));
        else if (kind === 'ping') {
          events.ping();
          connected.write(frame(PONG, payload));
        } else if (kind === 'close') {
          code = payload.length >= 2 ? payload.readUInt16BE(0) : NO_CODE;
          connected.end(frame(CLOSE, payload.subarray(0, 2)));
          end('fin');
        }
      }
    });
  });
  return {
    send: (json) => void socket?.write(frame(TEXT, Buffer.from(JSON.stringify(json)))),
    pause: () => void socket?.pause(),
    resume: () => void socket?.resume(),
    close() {
      closed = true;
      socket?.destroy();
    },
  };
}

function headOf({ host, path, subprotocol, token, headers }: FrameUpgrade): string {
  const lines: Record<string, string> = {
    Host: host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    'Sec-WebSocket-Protocol': subprotocol,
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...headers,
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${text.join('')}\r\n`;
}

/** A client's frames are masked (RFC 6455 section 5.3). */
function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const wide = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + wide);
  head.writeUInt8(0x80 | opcode, 0);
  head.writeUInt8(0x80 | (wide === 0 ? length : wide === 2 ? 126 : 127), 1);
  if (wide === 2) head.writeUInt16BE(length, 2);
  if (wide === 8) head.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  const masked = Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] as number)));
  return Buffer.concat([head, mask, masked]);
}
