/** The probe of the A2A binding over WebSocket, written from docs/bindings/wss.md: raw frames, a connection per call. */
import { EXT } from '../../profile/names.js';
import type { Address } from '../lab/ports.js';
import { fetchCard } from './a2a-http.js';
import {
  AT_UPGRADE,
  BEHIND_REQUEST,
  frameCall,
  frameDialler,
  frameTokens,
  parsedFrame,
  refusedUpgrade,
} from './frame-call.js';
import type { Identity } from './identity.js';
import { type CallOptions, type Json, type Probe, type ProbeAnswer, type Session, UPGRADE } from './probe.js';
import type { Reach } from './reach.js';
import { wireDigest, wireMessage } from './request.js';
import { a2aOperations, saidIn, sendParams } from './rpc.js';
import { openWssStream } from './wss-stream.js';

const SUBPROTOCOL = 'oab.a2a.v1';

export function wssProbe(identity: Identity, url: string, address: () => Address, reach: Reach): Probe {
  const { host } = new URL(url);
  const dial = frameDialler({ identity, url, address, reach, subprotocol: SUBPROTOCOL });

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
    const { opening, own } = await frameTokens({ identity }, options, { req, atUpgrade });
    return frameCall(
      (events) => dial(opening, options, events),
      frame(method, params, options, own),
      answerOf,
      options.deadlineMs,
    );
  };

  const stream = (method: string, params: unknown, options: CallOptions = {}, req?: string): Session => {
    const ready = frameTokens({ identity }, options, { req });
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
  const body = parsedFrame(text);
  const echo = (body.serviceParameters as Json | undefined)?.['A2A-Extensions'];
  const echoed = String(echo ?? '')
    .split(',')
    .some((uri) => uri.trim() === EXT);
  return { status: 200, echoed, text, ...saidIn(body) };
}
