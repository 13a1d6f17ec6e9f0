/** What the probes of the bindings in WebSocket frames have in common: two tokens, and a connection for each question. */
import type { Address } from '../lab/ports.js';
import { type FrameEvents, type FrameSocket, openFrameSocket } from './frame-socket.js';
import { WireEnd } from './http.js';
import type { Identity } from './identity.js';
import { type CallOptions, DEADLINE, type Json, type ProbeAnswer } from './probe.js';
import type { Reach } from './reach.js';

const USUAL_CAP = ['repo:read'];
/** Status of an answer to who does not authenticate: at the upgrade, and by the close behind a request. */
export const AT_UPGRADE = 401;
export const BEHIND_REQUEST = 4401;

export interface FramePlace {
  identity: Identity;
  url: string;
  address(): Address;
  reach: Reach;
  subprotocol: string;
}

export type DialFrames = (
  token: string | null,
  options: CallOptions,
  events: FrameEvents,
) => Promise<FrameSocket>;

export function frameDialler({ url, address, reach, subprotocol }: FramePlace): DialFrames {
  const { host, pathname: path } = new URL(url);
  return async (token, { via, headers = {} }, events) =>
    openFrameSocket({ address: via ?? address(), reach, host, path, subprotocol, token, headers }, events);
}

/** Tokens of the upgrade and of the request: what a case bends is the request's, unless it says otherwise. */
export async function frameTokens(
  { identity }: Pick<FramePlace, 'identity'>,
  { cap = USUAL_CAP, token, abuse }: CallOptions,
  { req, atUpgrade = false }: { req?: string | undefined; atUpgrade?: boolean | undefined },
): Promise<{ opening: string | null; own: string | null }> {
  const bent = token === undefined ? await identity.token(cap, atUpgrade ? undefined : req, abuse) : token;
  const good = await identity.token(cap, atUpgrade ? req : undefined);
  return atUpgrade ? { opening: bent, own: good } : { opening: good, own: bent };
}

/** Asks one thing on a connection of its own. Rejects with WireEnd when that ends without an answer or a close code. */
export function frameCall(
  dial: (events: FrameEvents) => Promise<FrameSocket>,
  frame: unknown,
  answerOf: (text: string) => ProbeAnswer,
  deadlineMs = DEADLINE,
): Promise<ProbeAnswer> {
  return new Promise((resolve, reject) => {
    let socket: FrameSocket | undefined;
    let refused: ProbeAnswer | undefined;
    const settle = (act: () => void) => {
      clearTimeout(timer);
      socket?.close();
      act();
    };
    const late = () => reject(new WireEnd('late', `no answer in ${deadlineMs} ms`));
    const timer = setTimeout(() => settle(late), deadlineMs);
    dial({
      open: () => socket?.send(frame),
      refused: (status, text) => settle(() => resolve(refusedUpgrade(status, text))),
      frame(text) {
        const answer = answerOf(text);
        // Whoever did not authenticate is told so, and the connection is closed: by which code is for it to say.
        if (answer.error?.reason === 'UNAUTHENTICATED') refused ??= answer;
        else settle(() => resolve(answer));
      },
      ping: () => {},
      ended: (kind, code) =>
        settle(() => {
          if (code === undefined) reject(new WireEnd(kind === 'fin' ? 'cut' : kind, 'the connection ended'));
          else resolve({ text: '', ...refused, echoed: false, status: code });
        }),
    }).then((opened) => {
      socket = opened;
    }, reject);
  });
}

export function refusedUpgrade(status: number, text: string): ProbeAnswer {
  return { status, echoed: false, text, error: { code: 0, reason: status === 401 ? 'UNAUTHENTICATED' : '' } };
}

export function parsedFrame(text: string): Json {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Json) : {};
  } catch {
    // No JSON shows by having nothing in it.
    return {};
  }
}
