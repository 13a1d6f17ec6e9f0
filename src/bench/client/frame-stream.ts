/** One stream over a WebSocket; items are counted by the heads of their frames and never parsed, so that the client costs little. */
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const TEXT = 0x81;
/** Of an item's frame: `{"jsonrpc":"2.0","id":…`; the end of the stream has a method in that place. */
const ID_AT = '{"jsonrpc":"2.0","'.length;
const ID = 'i'.charCodeAt(0);

/** Sends the request, its upgrade before it; resolves with the number of items at the end frame of the stream. */
export function countItems(port: number, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let items = 0;
    let rest: Buffer = Buffer.alloc(0);
    let upgraded = false;
    const fail = (why: string) => {
      reject(new Error(`${why} after ${items} items`));
      socket.destroy();
    };
    socket.on('error', ({ message }) => fail(message));
    socket.on('close', () => fail('the connection ended'));
    socket.on('data', (chunk: Buffer) => {
      let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (!upgraded) {
        const at = bytes.indexOf(HEAD_END);
        rest = bytes;
        if (at === -1) return;
        const head = bytes.toString('latin1', 0, at);
        if (!head.startsWith('HTTP/1.1 101 ')) return fail(`no WebSocket: ${head.slice(0, 300)}`);
        upgraded = true;
        bytes = bytes.subarray(at + HEAD_END.length);
      }
      let at = 0;
      for (;;) {
        const frame = frameAt(bytes, at);
        if (frame === undefined) break;
        if (bytes[at] === TEXT && bytes[frame.payload + ID_AT] === ID) items += 1;
        else if (bytes[at] === TEXT) {
          resolve(items);
          socket.destroy();
          return;
        }
        at = frame.end;
      }
      rest = bytes.subarray(at);
    });
    socket.write(request);
  });
}

/** undefined while it is not whole. */
function frameAt(bytes: Buffer, at: number): { payload: number; end: number } | undefined {
  if (bytes.length < at + 2) return undefined;
  const short = (bytes[at + 1] as number) & 0x7f;
  const payload = at + (short === 126 ? 4 : short === 127 ? 10 : 2);
  if (bytes.length < payload) return undefined;
  const length =
    short === 126
      ? bytes.readUInt16BE(at + 2)
      : short === 127
        ? Number(bytes.readBigUInt64BE(at + 2))
        : short;
  return bytes.length < payload + length ? undefined : { payload, end: payload + length };
}
