/** A server of the OAB protocol that says to a client exactly what a test says: one description and one short log of its own. */
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

export const DESCRIPTION: Json = {
  protocol_version: 1,
  peer: 'oab-b',
  version: '1',
  // The OAB protocol has no service parameters.
  params: { ...PARAMS, cursor: { retentionSeconds: PARAMS.cursor.retentionSeconds } },
};

export const TOLD: Json = {
  task_id: TASK,
  context_id: 'c-1',
  turn_id: 'turn-1',
  status: { state: 'TASK_STATE_WORKING', timestamp: TIME },
  artifacts: [],
  sequence: 2,
  cursor: 'c2',
  head: HEAD,
  effective_capabilities: ['repo:read'],
  deadline_at: TIME,
};

/** Of five: the last is the terminal one. */
export function item(sequence: number, state = sequence === 5 ? 'COMPLETED' : 'WORKING'): Json {
  const status = { state: `TASK_STATE_${state}`, timestamp: TIME };
  const event = { statusUpdate: { taskId: TASK, contextId: 'c-1', status } };
  return { turn_id: 'turn-1', sequence, cursor: `c${sequence}`, event };
}

export const gap = (sequence: number): Json => ({ floor: { sequence, head: HEAD } });

export const openRawServer = (behaviour: RawBehaviour) =>
  open(behaviour, { subprotocol: SUBPROTOCOL, answer: honest });

function honest({ id, method }: RawRequest, say: Say): void {
  const result = (json: Json) => say.frame({ jsonrpc: '2.0', id, result: json });
  if (method === 'describe') result(DESCRIPTION);
  else if (method !== 'events') result(TOLD);
  else {
    for (const sequence of [1, 2, 3, 4, 5]) result(item(sequence));
    say.frame(streamEnd(id, 'complete'));
  }
}
