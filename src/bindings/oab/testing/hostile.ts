/** The client towards a server that says exactly what a test says, and what became of it. */
import assert from 'node:assert/strict';
import { type PeerConnection, PeerUnreachable, type RemoteFrame } from '../../../coordinator/connection.js';
import { isTerminal } from '../../../profile/lifecycle.js';
import { connectOab, type OabClientOptions } from '../client.js';
import { item, openRawServer, type RawRequest, type Say, streamEnd, TASK } from './raw-server.js';

type Json = Record<string, unknown>;
export const signal = () => AbortSignal.timeout(10_000);

/** To be called inside a `describe`: whatever it opens is closed after each test. */
export function hostileServers() {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const open = async (
    behaviour: Parameters<typeof openRawServer>[0],
    more: Partial<OabClientOptions> = {},
  ) => {
    const server = await openRawServer(behaviour);
    closing.push(server.close);
    const peer = connectOab({
      peer: 'oab-b',
      url: 'http://oab-b.lab/',
      connect: `127.0.0.1:${server.port}`,
      insecureLoopback: true,
      timeoutMs: 5000,
      credentials: () => 'token',
      ...more,
    });
    closing.push(() => peer.close());
    return { server, peer };
  };
  /** A server that answers this verb so, and is honest otherwise. */
  const answering = (verb: string, take: (request: RawRequest, say: Say) => void) =>
    open({
      take(request, say) {
        if (request.method !== verb) return false;
        take(request, say);
        return true;
      },
    });
  /** A server that tells its events so. */
  const telling = (...frames: (Json | string | ((id: number) => Json))[]) =>
    answering('events', ({ id }, say) => {
      for (const frame of frames) {
        if (typeof frame === 'function') say.frame(frame(id));
        else if (typeof frame === 'string') say.frame(streamEnd(id, frame));
        else say.frame({ jsonrpc: '2.0', id, result: frame });
      }
    });
  const items = (...sequences: number[]) => sequences.map((sequence) => item(sequence));

  /** What was heard of a stream: sequences, and what ended it. */
  const heard = async (peer: PeerConnection, from?: { cursor: string; sequence: number }) => {
    const frames: RemoteFrame[] = [];
    let end: unknown;
    try {
      for await (const frame of peer.observe(TASK, { signal: signal(), ...(from && { from }) }))
        frames.push(frame);
    } catch (error) {
      end = error;
    }
    const sequences = frames.map((frame) =>
      'event' in frame ? frame.position.sequence : 'floor' in frame ? -frame.floor.sequence : 0,
    );
    const ended = frames.some(
      (frame) =>
        'event' in frame &&
        'statusUpdate' in frame.event &&
        isTerminal(frame.event.statusUpdate.status.state),
    );
    return { sequences, ended, end };
  };
  const unreachable = async (asked: Promise<unknown>, why: RegExp) => {
    const error = await asked.then(
      () => assert.fail('it was believed'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof PeerUnreachable, String(error));
    assert.match(error.message, why);
  };
  const brokenOff = (
    { sequences, ended, end }: Awaited<ReturnType<typeof heard>>,
    expected: number[],
    why: RegExp,
  ) => {
    assert.deepEqual([sequences, ended], [expected, false]);
    assert.ok(end instanceof PeerUnreachable, String(end));
    assert.match(end.message, why);
  };
  return { open, answering, telling, items, heard, unreachable, brokenOff };
}
