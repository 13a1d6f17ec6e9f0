/**
 * The harness in the executor's place, towards a coordinator that is the subject: honest by default, and hostile in
 * exactly the way that a case says. Raw JSON over node:http; the contract's own pure functions make what it signs.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import { signEnvelope, type UnsignedEnvelope } from '../../profile/envelope.js';
import type { ResultEnvelope } from '../../profile/model.js';
import { EXT, KEY } from '../../profile/names.js';
import type { Topology } from '../check.js';
import type { Lab } from '../lab/ports.js';
import type { Json } from '../wire/probe.js';
import { honestCard } from './fake-card.js';
import {
  FAKE_PEER,
  pageOf,
  requestOf,
  type Story,
  type StoryEvent,
  type StoryPage,
  stamped,
  submitted,
  tell,
} from './fake-story.js';
import { type RelaySubject, relaySubject } from './relay-subject.js';
import { makeKeys, openTunnelEnd } from './tunnel-end.js';

export interface Received {
  method: string;
  path: string;
  authorization: boolean;
  rpc?: string;
  /** `OAB-Cursor`. */
  cursor?: string;
  body: string;
}

export interface FakeParts {
  /** The card as it would be honest. */
  card(card: Json): Json;
  /** The envelope before it is signed. */
  unsigned(envelope: UnsignedEnvelope): UnsignedEnvelope;
  /** The story after it was signed: what is sent in its place. */
  story(
    story: Story,
    tools: {
      resign(unsigned: UnsignedEnvelope): ResultEnvelope;
      strangerSigns(unsigned: UnsignedEnvelope): ResultEnvelope;
    },
  ): Story;
  /**
   * With it the first subscriber finds the task running and gets these events of the signed story live; the pages stay
   * what `story` made them.
   */
  live?(events: StoryEvent[], story: Story): StoryEvent[];
  /** What the live stream's items become on the wire, each piece a write of its own; one SSE event per item by default. */
  encode?(items: string[]): (string | Buffer)[];
  /** Answers a method in place of the usual answer; false leaves it to that. */
  answer?(method: string, id: unknown, response: ServerResponse): boolean;
  /** The page of events after this sequence, as it is told beside the Task. */
  page(page: StoryPage, after: number, story: Story): StoryPage;
}

const ROUTE = 'oab-b.lab:443';
const HONEST: FakeParts = {
  card: (card) => card,
  unsigned: (envelope) => envelope,
  story: (story) => story,
  page: (page) => page,
};

export interface FakeExecutor {
  readonly peer: string;
  readonly card: string;
  readonly connect: string;
  readonly ca: string;
  readonly tlsKey: string;
  readonly resultKeys: string;
  readonly received: Received[];
  /** The way to it in the dual-outbound topology; `connect` is then the relay's. */
  readonly relay?: RelaySubject;
  /** Signs the coordinator's tokens for that relay. */
  readonly tokenKey?: string;
  close(): Promise<void>;
}

export async function fakeExecutor(
  lab: Lab,
  name: string,
  caller: string,
  change: Partial<FakeParts> = {},
  topology: Topology = 'direct',
): Promise<FakeExecutor> {
  const parts = { ...HONEST, ...change };
  const key = newKey(Date.now() - 60_000);
  const stranger = newKey(Date.now() - 60_000);
  const resultKeys = join(lab.folder, `${name}-results.pub.jwks`);
  writeKeyFile(resultKeys, [key], 'public');
  const sign = (unsigned: UnsignedEnvelope) =>
    signEnvelope(unsigned, { kid: key.kid, key: key.privateKey as NonNullable<typeof key.privateKey> });
  const strangerSigns = (unsigned: UnsignedEnvelope) =>
    signEnvelope(unsigned, {
      kid: stranger.kid,
      key: stranger.privateKey as NonNullable<typeof key.privateKey>,
    });
  const received: Received[] = [];
  const stories = new Map<string, Story>();
  const signed = new Map<string, StoryEvent[]>();
  const streamed = new Set<string>();

  const answer = (rpc: Json): Json => {
    const { method, params } = rpc as { method: string; params: Json };
    if (method === 'SendMessage') {
      const request = requestOf(params);
      const told = tell(request, caller, sign, parts.unsigned);
      const story = parts.story(told, { resign: sign, strangerSigns });
      const id = `task-${request.request_id}`;
      stories.set(id, story);
      signed.set(id, told.events);
      return { result: { task: submitted(story) } };
    }
    const story = stories.get(String(params.id));
    if (story === undefined) return refusal(-32001, 'TASK_NOT_FOUND');
    // The task has always ended already: a subscriber reads the tail, as D-9 says.
    if (method === 'SubscribeToTask') return refusal(-32004, 'UNSUPPORTED_OPERATION');
    if (method === 'CancelTask') return refusal(-32002, 'TASK_NOT_CANCELABLE');
    return { result: story.task };
  };

  const authority = await lab.authority();
  const tls = await authority.issue(name, { dns: ['oab-b.lab'] });
  const pem = { cert: readFileSync(tls.cert), key: readFileSync(tls.key), minVersion: 'TLSv1.3' as const };
  const server = createServer(pem, (request, response) => {
    const serve = async (): Promise<void> => {
      const body = await bodyOf(request);
      const path = (request.url ?? '').split('?')[0] ?? '';
      const seen: Received = {
        method: request.method ?? '',
        path,
        authorization: request.headers.authorization !== undefined,
        ...(typeof request.headers['oab-cursor'] === 'string'
          ? { cursor: request.headers['oab-cursor'] }
          : {}),
        body,
      };
      received.push(seen);
      if (path === '/.well-known/agent-card.json')
        return reply(response, parts.card(honestCard(`https://oab-b.lab/`)));
      const rpc = JSON.parse(body) as Json;
      seen.rpc = String(rpc.method);
      const id = String((rpc.params as Json | undefined)?.id);
      const story = stories.get(id);
      if (rpc.method === 'SubscribeToTask' && parts.live && story !== undefined && !streamed.has(id)) {
        streamed.add(id);
        const items = itemsOf(rpc.id, story, parts.live(signed.get(id) ?? [], story));
        return stream(response, items, parts.encode);
      }
      if (parts.answer?.(String(rpc.method), rpc.id, response) === true) return;
      const result = answer(rpc);
      const cursor = request.headers['oab-cursor'];
      if (rpc.method === 'GetTask' && story !== undefined && typeof cursor === 'string') {
        const after = cursor === '0' ? 0 : Number(cursor.slice(1));
        const { task } = story;
        const page = parts.page(pageOf(story, after), after, story);
        result.result = { ...task, metadata: { ...task.metadata, [KEY.events]: page } };
      }
      reply(response, { jsonrpc: '2.0', id: rpc.id, ...result });
    };
    // What no honest coordinator sends is answered too, so that whoever sent it does not hang.
    serve().catch(() => response.writeHead(400).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  lab.onClose(`fake executor ${name}`, close);
  const { port } = server.address() as AddressInfo;
  const way = topology === 'direct' ? undefined : await behindRelay(lab, name, caller, server);
  const place = way?.relay.address() ?? { host: '127.0.0.1', port };
  return {
    peer: FAKE_PEER,
    card: 'https://oab-b.lab/.well-known/agent-card.json',
    connect: `${place.host}:${place.port}`,
    ...way,
    ca: authority.ca,
    tlsKey: tls.jwk,
    resultKeys,
    received,
    close,
  };
}

function refusal(code: number, reason: string): Json {
  return {
    error: {
      code,
      message: 'refused',
      data: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' }],
    },
  };
}

function reply(response: ServerResponse, json: Json): void {
  response
    .writeHead(200, { 'content-type': 'application/json', 'A2A-Extensions': EXT })
    .end(JSON.stringify(json));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The Task right after admission, then the events, as a running task sends them. */
function itemsOf(id: unknown, story: Story, events: readonly StoryEvent[]): string[] {
  const task = submitted(story);
  const position = task.metadata?.[KEY.event] as { turn_id: string } | undefined;
  const results = [
    { task },
    ...events
      .filter((one) => one.sequence > 1)
      .map(({ body, sequence, cursor }) =>
        stamped(body, { turn_id: position?.turn_id, sequence, cursor }, story),
      ),
  ];
  return results.map((result) => JSON.stringify({ jsonrpc: '2.0', id, result }));
}

async function stream(
  response: ServerResponse,
  items: string[],
  encode: FakeParts['encode'] = (all) => all.map((text) => `data: ${text}\n\n`),
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'A2A-Extensions': EXT });
  for (const piece of encode(items)) await new Promise((resolve) => response.write(piece, resolve));
  response.end();
}

/** Dials out like an executor that listens nowhere, with the product's own tunnel: the tunnel is not what is judged here. */
async function behindRelay(
  lab: Lab,
  name: string,
  caller: string,
  server: Server,
): Promise<{ relay: RelaySubject; tokenKey: string }> {
  const [ours, theirs] = [makeKeys(lab, `${name}-tunnel`), makeKeys(lab, `${name}-relay-gate`)];
  const relay = await relaySubject(lab, `${name}-relay`, {
    executors: [{ peer: FAKE_PEER, route: ROUTE, keys: ours.public }],
    coordinators: [{ peer: caller, keys: theirs.public, routes: [ROUTE] }],
  });
  const tunnel = openTunnelEnd(lab, name, relay, {
    peer: FAKE_PEER,
    route: ROUTE,
    keyFile: ours.private,
    onConnection: (connection) => void server.emit('connection', connection),
  });
  await tunnel.up;
  return { relay, tokenKey: theirs.private };
}
