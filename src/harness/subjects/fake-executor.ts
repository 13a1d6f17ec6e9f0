/**
 * The harness in the executor's place, towards a coordinator that is the subject: honest by default, and hostile in
 * exactly the way that a case says. Raw JSON over node:http; the contract's own pure functions make what it signs.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import { artifactDigest } from '../../profile/artifacts.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import { signEnvelope, type UnsignedEnvelope } from '../../profile/envelope.js';
import type {
  Artifact,
  DelegationRequest,
  Digest,
  EventBody,
  ResultEnvelope,
  Task,
} from '../../profile/model.js';
import { EXT, KEY } from '../../profile/names.js';
import { coreState } from '../../profile/outcome.js';
import { requestDigest } from '../../profile/request.js';
import type { Lab } from '../lab/ports.js';
import type { Json } from '../wire/probe.js';

export interface Received {
  method: string;
  path: string;
  authorization: boolean;
  rpc?: string;
  body: string;
}

/** Everything that one finished task says, before it is put on the wire. */
export interface Story {
  task: Task;
  events: { sequence: number; cursor: string; body: EventBody }[];
  envelope: ResultEnvelope;
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
}

const HONEST: FakeParts = { card: (card) => card, unsigned: (envelope) => envelope, story: (story) => story };

export interface FakeExecutor {
  readonly peer: string;
  readonly card: string;
  readonly connect: string;
  readonly ca: string;
  readonly tlsKey: string;
  readonly resultKeys: string;
  readonly received: Received[];
  close(): Promise<void>;
}

const PEER = 'oab-b';

export async function fakeExecutor(
  lab: Lab,
  name: string,
  caller: string,
  change: Partial<FakeParts> = {},
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

  const answer = (rpc: Json): Json => {
    const { method, params } = rpc as { method: string; params: Json };
    if (method === 'SendMessage') {
      const request = requestOf(params);
      const story = parts.story(tell(request, caller, sign, parts.unsigned), { resign: sign, strangerSigns });
      const id = `task-${request.request_id}`;
      stories.set(id, story);
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
        body,
      };
      received.push(seen);
      if (path === '/.well-known/agent-card.json')
        return reply(response, parts.card(honestCard(`https://oab-b.lab/`)));
      const rpc = JSON.parse(body) as Json;
      seen.rpc = String(rpc.method);
      const result = answer(rpc);
      if (rpc.method === 'GetTask' && 'result' in result)
        result.result = withPage(
          result.result as Task,
          stories.get(String((rpc.params as Json).id)),
          request.headers['oab-cursor'],
        );
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
  return {
    peer: PEER,
    card: 'https://oab-b.lab/.well-known/agent-card.json',
    connect: `127.0.0.1:${port}`,
    ca: authority.ca,
    tlsKey: tls.jwk,
    resultKeys,
    received,
    close,
  };
}

function requestOf(params: Json): DelegationRequest {
  const message = params.message as { parts: { text: string }[]; metadata: Record<string, Json> };
  return {
    ...message.metadata[KEY.request],
    task: message.parts[0]?.text ?? '',
  } as unknown as DelegationRequest;
}

/** A finished task: submitted, working, one artifact in two pieces, completed. */
function tell(
  request: DelegationRequest,
  caller: string,
  sign: (unsigned: UnsignedEnvelope) => ResultEnvelope,
  bend: FakeParts['unsigned'],
): Story {
  const names = { taskId: `task-${request.request_id}`, contextId: `context-${request.request_id}` };
  const turn_id = `turn-${request.request_id}`;
  const now = new Date().toISOString();
  const artifact: Artifact = {
    artifactId: 'answer',
    name: 'answer',
    parts: [{ text: 'one ' }, { text: 'two' }],
  };
  const state = (name: 'SUBMITTED' | 'WORKING') => ({
    statusUpdate: { ...names, status: { state: `TASK_STATE_${name}` as const, timestamp: now } },
  });
  const summary = 'one two';
  const last: EventBody = {
    statusUpdate: {
      ...names,
      status: {
        state: coreState('completed'),
        timestamp: now,
        message: { messageId: 'm-last', role: 'ROLE_AGENT', parts: [{ text: summary }] },
      },
    },
  };
  const bodies: EventBody[] = [
    state('SUBMITTED'),
    state('WORKING'),
    { artifactUpdate: { ...names, artifact: { ...artifact, parts: [{ text: 'one ' }] } } },
    {
      artifactUpdate: {
        ...names,
        artifact: { artifactId: 'answer', parts: [{ text: 'two' }] },
        append: true,
        lastChunk: true,
      },
    },
    last,
  ];
  const digest = requestDigest(request);
  const head = bodies.reduce<Digest>(
    (before, body) => headAfter(before, body),
    firstHead(names.taskId, digest),
  );
  const envelope = sign(
    bend({
      protocol_version: 1,
      request_id: request.request_id,
      task_id: names.taskId,
      turn_id,
      status: 'completed',
      summary,
      error: null,
      executed_by: PEER,
      caller,
      effective_capabilities: request.capabilities,
      request_digest: digest,
      artifacts: [{ artifact_id: 'answer', owner: PEER, digest: artifactDigest(artifact) }],
      side_effects: [{ kind: 'boundary', evidence: 'unverified' }],
      event_log: { last_sequence: bodies.length, head },
      signed_at: now,
    }),
  );
  const events = bodies.map((body, index) => ({ sequence: index + 1, cursor: `c${index + 1}`, body }));
  const task: Task = {
    id: names.taskId,
    contextId: names.contextId,
    status: last.statusUpdate.status,
    artifacts: [{ ...artifact, metadata: { [KEY.owner]: PEER } }],
    metadata: {
      [KEY.event]: { turn_id, sequence: bodies.length, cursor: `c${bodies.length}`, head },
      [KEY.result]: envelope,
    },
  };
  return { task, events, envelope };
}

/** The answer to the create: the Task right after admission. */
function submitted({ task, events }: Story): Task {
  const first = events[0]?.body;
  const status = first !== undefined && 'statusUpdate' in first ? first.statusUpdate.status : task.status;
  const position = task.metadata?.[KEY.event] as { turn_id: string };
  return {
    id: task.id,
    contextId: task.contextId,
    status,
    metadata: { [KEY.event]: { turn_id: position.turn_id, sequence: 1, cursor: 'c1' } },
  };
}

function withPage(task: Task, story: Story | undefined, cursor: string | string[] | undefined): Task {
  if (story === undefined || typeof cursor !== 'string') return task;
  const after = cursor === '0' ? 0 : Number(cursor.slice(1));
  const position = task.metadata?.[KEY.event] as { turn_id: string } | undefined;
  const turn_id = position?.turn_id;
  const events = story.events
    .filter(({ sequence }) => sequence > after)
    .map(({ sequence, cursor: own, body }) => ({
      sequence,
      cursor: own,
      event: stamped(body, { turn_id, sequence, cursor: own }, story),
    }));
  return { ...task, metadata: { ...task.metadata, [KEY.events]: { events, next: '', complete: true } } };
}

function stamped(body: EventBody, position: Json, story: Story): Json {
  const [key, inner] = Object.entries(body)[0] as [string, Json];
  const last = position.sequence === story.events.length;
  return {
    [key]: {
      ...inner,
      metadata: { [KEY.event]: position, ...(last ? { [KEY.result]: story.envelope } : {}) },
    },
  };
}

function honestCard(url: string): Json {
  return {
    name: 'fake',
    description: 'the harness',
    version: '1',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: {
      streaming: true,
      extensions: [
        {
          uri: EXT,
          required: true,
          params: {
            maxDepth: 1,
            cursor: { serviceParameter: 'OAB-Cursor', retentionSeconds: 3600 },
            idempotency: { windowSeconds: 7200 },
            heartbeatSeconds: 0.25,
            stopGraceMs: 1000,
            revocationSeconds: 1,
            limits: {
              maxTaskBytes: 65_536,
              maxDeadlineMs: 3_600_000,
              maxOutputBytes: 1_048_576,
              maxEvents: 100_000,
              maxEventBytes: 65_536,
              maxFrameBytes: 4_194_304,
            },
            capabilities: ['repo:read'],
            results: { algorithm: 'EdDSA', canonicalization: 'RFC8785', jwks: { keys: [] } },
          },
        },
      ],
    },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'delegate', name: 'd', description: 'd', tags: ['d'] }],
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
