/** The probe of the A2A binding over WebSocket, written from docs/bindings/wss.md: raw frames, a connection per call. */
import { EXT } from '../../profile/names.js';
import type { Address } from '../lab/ports.js';
import { DEADLINE, fetchCard } from './a2a-http.js';
import { type FrameEvents, type FrameSocket, openFrameSocket } from './frame-socket.js';
import { WireEnd } from './http.js';
import type { Identity } from './identity.js';
import { type CallOptions, type Json, type Probe, type ProbeAnswer, type Session, UPGRADE } from './probe.js';
import type { Reach } from './reach.js';
import { wireDigest, wireMessage } from './request.js';
import { a2aOperations, saidIn, sendParams } from './rpc.js';
import { openWssStream } from './wss-stream.js';

const SUBPROTOCOL = 'oab.a2a.v1';
const USUAL_CAP = ['repo:read'];
/** Status of an answer to who does not authenticate: at the upgrade, and by the close behind a request. */
const AT_UPGRADE = 401;
const BEHIND_REQUEST = 4401;

export function wssProbe(identity: Identity, url: string, address: () => Address, reach: Reach): Probe {
  const { host, pathname } = new URL(url);

  /** Tokens of the upgrade and of the request: what a case bends is the request's, unless it says otherwise. */
  const tokens = async (
    { cap = USUAL_CAP, token, abuse }: CallOptions,
    req: string | undefined,
    atUpgrade = false,
  ): Promise<{ opening: string | null; own: string | null }> => {
    const bent = token === undefined ? await identity.token(cap, atUpgrade ? undefined : req, abuse) : token;
    const good = await identity.token(cap, atUpgrade ? req : undefined);
    return atUpgrade ? { opening: bent, own: good } : { opening: good, own: bent };
  };

  const dial = async (
    token: string | null,
    { via, headers = {} }: CallOptions,
    events: FrameEvents,
  ): Promise<FrameSocket> =>
    openFrameSocket(
      { address: via ?? address(), reach, host, path: pathname, subprotocol: SUBPROTOCOL, token, headers },
      events,
    );

  const frame = (method: string, params: unknown, options: CallOptions, token: string | null): Json => {
    const { version, extensions, cursor } = options;
    return {
      jsonrpc: '2.0',
      id: 1,
      method,
      params,
      serviceParameters: {
        ...(version === null ? {} : { 'A2A-Version': version ?? '1.0' }),
        ...(extensions === false ? {} : { 'A2A-Extensions': extensions ?? EXT }),
        ...(cursor === undefined ? {} : { 'OAB-Cursor': cursor }),
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      },
    };
  };

  const call = async (
    method: string,
    params: unknown,
    options: CallOptions = {},
    req?: string,
    atUpgrade = false,
  ): Promise<ProbeAnswer> => {
    const { opening, own } = await tokens(options, req, atUpgrade);
    const deadlineMs = options.deadlineMs ?? DEADLINE;
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
      dial(opening, options, {
        open: () => socket?.send(frame(method, params, options, own)),
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
            if (code === undefined)
              reject(new WireEnd(kind === 'fin' ? 'cut' : kind, 'the connection ended'));
            else resolve({ echoed: false, text: '', ...refused, status: code });
          }),
      }).then((opened) => {
        socket = opened;
      }, reject);
    });
  };

  const stream = (method: string, params: unknown, options: CallOptions = {}, req?: string): Session => {
    const ready = tokens(options, req);
    let token: string | null = null;
    return openWssStream({
      async dial(events) {
        const { opening, own } = await ready;
        token = own;
        return dial(opening, options, events);
      },
      request: () => frame(method, params, options, token),
      answerOf,
      refused: refusedUpgrade,
      credit: options.credit ?? true,
    });
  };

  return {
    binding: 'WSS',
    peer: identity.peer,
    create: (request, options = {}) =>
      call('SendMessage', sendParams(request, options), options, wireDigest(request)),
    createStreaming: (request, options = {}) =>
      stream('SendStreamingMessage', { message: wireMessage(request) }, options, wireDigest(request)),
    get: (id, options) => call('GetTask', { id }, options),
    list: (options) => call('ListTasks', options?.query ?? {}, options),
    cancel: (id, options) => call('CancelTask', { id }, options),
    subscribe: (id, options) => stream('SubscribeToTask', { id }, options),
    card: () => fetchCard({ address: address(), reach }, host),
    operations: (taskId, request) => [
      ...a2aOperations(taskId, request).map(({ name, params, req }) => ({
        name,
        unauthenticated: BEHIND_REQUEST,
        call: (options: CallOptions) => call(name, params, options, req),
      })),
      {
        name: UPGRADE,
        unauthenticated: AT_UPGRADE,
        call: (options: CallOptions) => call('GetExtendedAgentCard', {}, options, undefined, true),
      },
    ],
  };
}

function answerOf(text: string): ProbeAnswer {
  const body = bodyOf(text);
  const echo = (body.serviceParameters as Json | undefined)?.['A2A-Extensions'];
  const echoed = String(echo ?? '')
    .split(',')
    .some((uri) => uri.trim() === EXT);
  return { status: 200, echoed, text, ...saidIn(body) };
}

function bodyOf(text: string): Json {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Json) : {};
  } catch {
    // An answer that is no JSON shows by having neither result nor error.
    return {};
  }
}

function refusedUpgrade(status: number, text: string): ProbeAnswer {
  return { status, echoed: false, text, error: { code: 0, reason: status === 401 ? 'UNAUTHENTICATED' : '' } };
}
