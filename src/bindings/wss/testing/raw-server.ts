/** A server of the binding that says to a client exactly what a test says: one card and one short log of its own. */
import { EXT, KEY, WSS_BINDING } from '../../../profile/names.js';
import { PARAMS } from '../../testing/params.js';
import {
  openRawServer as open,
  type RawBehaviour,
  type RawRequest,
  type Say,
  streamEnd,
} from '../../websocket/testing/raw-server.js';
import { SUBPROTOCOL } from '../names.js';

export { type RawRequest, type Say, streamEnd };

type Json = Record<string, unknown>;

const HEAD = `sha256:${'0'.repeat(64)}`;
const TIME = '2026-01-01T00:00:00.000Z';
export const TASK = 't-1';
export const ECHO = { 'A2A-Extensions': EXT };

export function card(url = 'ws://oab-b.lab/'): Json {
  return {
    name: 'raw',
    description: 'raw',
    version: '1',
    supportedInterfaces: [{ url, protocolBinding: WSS_BINDING, protocolVersion: '1.0' }],
    capabilities: { streaming: true, extensions: [{ uri: EXT, required: true, params: PARAMS }] },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'delegate', name: 'd', description: 'd', tags: ['d'] }],
  };
}

const position = (sequence: number): Json => ({ turn_id: 'turn-1', sequence, cursor: `c${sequence}` });

export const TOLD: Json = {
  id: TASK,
  contextId: 'c-1',
  status: { state: 'TASK_STATE_WORKING', timestamp: TIME },
  metadata: { [KEY.event]: { ...position(2), head: HEAD } },
};

/** Of five: the last is the terminal one. */
export function item(sequence: number, state = sequence === 5 ? 'COMPLETED' : 'WORKING'): Json {
  const status = { state: `TASK_STATE_${state}`, timestamp: TIME };
  const metadata = { [KEY.event]: position(sequence) };
  return { statusUpdate: { taskId: TASK, contextId: 'c-1', status, metadata } };
}

export const openRawServer = (behaviour: RawBehaviour & { card?: Json | string }) =>
  open(behaviour, {
    subprotocol: SUBPROTOCOL,
    answer: honest,
    plain(_, response) {
      const { card: other = card() } = behaviour;
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(typeof other === 'string' ? other : JSON.stringify(other));
    },
  });

function honest({ id, method }: RawRequest, say: Say): void {
  const result = (json: Json, more: Json = {}) => say.frame({ jsonrpc: '2.0', id, result: json, ...more });
  const echo = { serviceParameters: ECHO };
  if (method === 'SendMessage') result({ task: TOLD }, echo);
  else if (method !== 'SubscribeToTask') result(TOLD, echo);
  else {
    result({ task: TOLD }, echo);
    for (const sequence of [3, 4, 5]) result(item(sequence));
    say.frame(streamEnd(id, 'complete'));
  }
}
