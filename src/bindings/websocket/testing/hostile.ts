/** A client towards a server that says exactly what a test says, and what became of it. */
import assert from 'node:assert/strict';
import { type PeerConnection, PeerUnreachable, type RemoteFrame } from '../../../coordinator/connection.js';
import { isTerminal } from '../../../profile/lifecycle.js';
import type { openRawServer, RawBehaviour, RawRequest, Say } from './raw-server.js';
import { streamEnd } from './raw-server.js';

type Json = Record<string, unknown>;
type RawServer = Awaited<ReturnType<typeof openRawServer>>;

export const signal = () => AbortSignal.timeout(10_000);

/** What the tests of one binding's client have of their own. */
interface Hostile<Behaviour, Options> {
  open(behaviour: Behaviour): Promise<RawServer>;
  connect(options: typeof LINK & { connect: string } & Partial<Options>): PeerConnection;
  /** The method of a stream, and what an honest server says first on it. */
  observe: { method: string; first?(id: number): Json };
  /** Of the raw server's one task. */
  task: string;
}

const LINK = {
  url: 'http://oab-b.lab/',
  insecureLoopback: true,
  timeoutMs: 5000,
  credentials: () => 'token',
};

/** To be called inside a `describe`: whatever it opens is closed after each test. */
export function hostileServers<Behaviour extends RawBehaviour, Options>({
  open: openServer,
  connect,
  observe,
  task,
}: Hostile<Behaviour, Options>) {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const open = async (behaviour: Behaviour, more: Partial<Options> = {}) => {
    const server = await openServer(behaviour);
    closing.push(server.close);
    const peer = connect({ ...LINK, connect: `127.0.0.1:${server.port}`, ...more });
    closing.push(() => peer.close());
    return { server, peer };
  };
  /** A server that answers this method so, and is honest otherwise. */
  const answering = (method: string, take: (request: RawRequest, say: Say) => void) =>
    open({
      take(request: RawRequest, say: Say) {
        if (request.method !== method) return false;
        take(request, say);
        return true;
      },
    } as Behaviour);
  /** A server that tells its events so; a text is the reason of an end. */
  const telling = (...frames: (Json | string | ((id: number) => Json))[]) =>
    answering(observe.method, ({ id }, say) => {
      if (observe.first !== undefined) say.frame(observe.first(id));
      for (const frame of frames) {
        if (typeof frame === 'function') say.frame(frame(id));
        else if (typeof frame === 'string') say.frame(streamEnd(id, frame));
        else say.frame({ jsonrpc: '2.0', id, result: frame });
      }
    });

  /** What was heard of a stream: sequences (of a gap negative, of a Task 0), and what ended it. */
  const heard = async (peer: PeerConnection, from?: { cursor: string; sequence: number }) => {
    const frames: RemoteFrame[] = [];
    let end: unknown;
    try {
      for await (const frame of peer.observe(task, { signal: signal(), ...(from && { from }) }))
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
  return { open, answering, telling, heard, unreachable, brokenOff };
}
