/** The harness in an executor's place on the A2A binding over WebSocket, written from docs/bindings/wss.md. */
import type { Server } from 'node:http';
import { EXT, KEY, WSS_BINDING } from '../../profile/names.js';
import type { Json } from '../wire/probe.js';
import { type Id, isRequest, serveFrames } from './fake-frames.js';
import { answer, itemsOf, JSON_RPC, refusal as refused, serveHttp } from './fake-http.js';
import type { Story } from './fake-story.js';
import { type FakeTasks, sequenceOf } from './fake-tasks.js';

const METHODS = new Set([
  ...['SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks', 'CancelTask', 'SubscribeToTask'],
  'GetExtendedAgentCard',
]);
const ECHO = { 'A2A-Extensions': EXT };

/** Returns what ends its connections; `url` is https, and serves the card. */
export function serveWss(tasks: FakeTasks, server: Server, url: string): () => void {
  server.on('request', serveHttp(tasks, url.replace(/^http/, 'ws'), { ...JSON_RPC, binding: WSS_BINDING }));
  return serveFrames(tasks, server, {
    subprotocol: 'oab.a2a.v1',
    authorized: (frame) => parametersOf(frame).Authorization !== undefined,
    refusal,
    wrongIn,
    cursorOf: (frame) => parametersOf(frame)['OAB-Cursor'],
    serve({ id, method, params, cursor }, way) {
      const taskId = String(params.id);
      const story = tasks.find(taskId);
      const live = method === 'SubscribeToTask' ? tasks.live(taskId) : undefined;
      if (live !== undefined) {
        const items = itemsOf(story as Story, live).map((result) =>
          JSON.stringify(JSON_RPC.item(id, result)),
        );
        const last = live.at(-1)?.sequence === (story as Story).envelope.event_log.last_sequence;
        way.stream(id, tasks.parts.encode?.(items) ?? items, last ? 'complete' : 'interrupted');
        return;
      }
      if (tasks.parts.answer?.(method, id, way) === true) return;
      const said = answer(tasks, { method, params });
      if (method === 'GetTask' && story !== undefined && typeof cursor === 'string') {
        const page = tasks.pageBeside(story, sequenceOf(cursor));
        said.result = { ...story.task, metadata: { ...story.task.metadata, [KEY.events]: page } };
      }
      way.send(JSON.stringify({ jsonrpc: '2.0', id, ...said, serviceParameters: ECHO }));
    },
  });
}

function parametersOf({ serviceParameters }: Json): Record<string, string> {
  return (serviceParameters ?? {}) as Record<string, string>;
}

function wrongIn(frame: Json): [code: number, reason: string] | undefined {
  const form = isRequest(frame, ['jsonrpc', 'id', 'method', 'params', 'serviceParameters']);
  if (form === false) return [-32600, 'INVALID_REQUEST'];
  if (form !== true) return [-32602, 'UNKNOWN_MEMBER'];
  const { 'A2A-Version': version, 'A2A-Extensions': extensions } = parametersOf(frame);
  if (version !== '1.0') return [-32009, 'VERSION_NOT_SUPPORTED'];
  if (extensions !== EXT) return [-32008, 'EXTENSION_SUPPORT_REQUIRED'];
  return METHODS.has(String(frame.method)) ? undefined : [-32601, 'METHOD_NOT_FOUND'];
}

function refusal(id: Id | null, code: number, reason: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, ...refused(code, reason) });
}
