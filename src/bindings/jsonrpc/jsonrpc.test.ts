import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  ServiceParameters,
  withA2AExtensions,
} from '@a2a-js/sdk/client';
import {
  NotNegotiated,
  type PeerConnection,
  type PeerRefusal,
  PeerUnreachable,
} from '../../coordinator/connection.js';
import { openTestExecutor, requestOf } from '../../executor/testing/harness.js';
import { inProcessRunner } from '../../executor/testing/in-process-runner.js';
import type { VerifiedCaller } from '../../identity/ports.js';
import { firstHead, headAfter } from '../../profile/chain.js';
import { messageFromRequest, requestFromParams } from '../../profile/message.js';
import type { Digest } from '../../profile/model.js';
import { EXT, KEY } from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import { silentLog } from '../../telemetry/log.js';
import { agentCard } from '../a2a/card.js';
import { cardRoute } from '../http/card-route.js';
import { writeEvents } from '../http/event-stream.js';
import { type Listener, listen } from '../http/listener.js';
import { checkNegotiated } from '../http/negotiation.js';
import { connectJsonRpc } from './client.js';
import { jsonRpcRoute } from './server.js';

const URL_ = 'http://oab-b.lab/';

describe('the JSON-RPC binding', () => {
  let opened: Awaited<ReturnType<typeof openTestExecutor>>;
  let listener: Listener;
  let port: number;
  let release: () => void;
  const clients: PeerConnection[] = [];

  beforeEach(async () => {
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    opened = await openTestExecutor(
      inProcessRunner(async ({ task, say }) => {
        say({ type: 'text', text: 'one ' });
        if (task.prompt.startsWith('hold')) await held;
        const count = Number(/\d+/.exec(task.prompt)?.[0] ?? 1);
        for (let n = 0; n < count; n += 1) say({ type: 'text', text: 'x'.repeat(1000) });
        return { summary: 'done' };
      }),
    );
    const { service } = opened;
    const interfaces = () => [{ url: URL_, protocolBinding: 'JSONRPC' }];
    // The bearer is the caller as JSON: authentication has tests of its own.
    const authenticator = {
      verify: async ({ authorization }: { authorization?: string }) => {
        const caller = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
        return caller === undefined
          ? { reason: 'none' }
          : {
              caller: JSON.parse(Buffer.from(caller, 'base64url').toString()) as VerifiedCaller,
              reason: 'ok',
            };
      },
    };
    listener = await listen({
      address: { host: '127.0.0.1', port: 0 },
      routes: [
        cardRoute(() => agentCard(service.describe(), interfaces())),
        jsonRpcRoute(
          {
            service,
            authenticator,
            interfaces,
            now: Date.now,
            log: silentLog,
            checkNegotiated,
            readCreate: requestFromParams,
            writeEvents,
          },
          '/',
        ),
      ],
    });
    port = Number(listener.address.split(':')[1]);
  });
  afterEach(async () => {
    release();
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await listener.close(0);
    await opened.close();
  });

  const bearer = (req?: string, peer = 'oab-a') =>
    Buffer.from(
      JSON.stringify({
        peer,
        via: 'token',
        cap: ['repo:read'],
        jti: 'j',
        ...(req === undefined ? {} : { req }),
      }),
    ).toString('base64url');
  const client = (more: { connect?: string; timeoutMs?: number } = {}) => {
    const made = connectJsonRpc({
      url: URL_,
      connect: `127.0.0.1:${port}`,
      insecureLoopback: true,
      timeoutMs: 5000,
      credentials: (req) => bearer(req),
      ...more,
    });
    clients.push(made);
    return made;
  };
  const signal = () => AbortSignal.timeout(10_000);

  /** A raw POST: status, headers and text. */
  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    new Promise<{
      status: number;
      headers: Record<string, unknown>;
      text: string;
      json: Record<string, unknown>;
    }>((resolve, reject) => {
      const all = {
        authorization: `Bearer ${bearer()}`,
        'a2a-version': '1.0',
        'a2a-extensions': EXT,
        'content-type': 'application/json',
        ...headers,
      };
      const made = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
      const request = httpRequest(
        { port, host: '127.0.0.1', method: 'POST', path: '/', headers: made },
        async (response) => {
          let text = '';
          for await (const chunk of response) text += String(chunk);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
          });
        },
      );
      request.on('error', reject).end(body);
    });
  const call = (method: string, params: unknown, headers?: Record<string, string>) =>
    post(JSON.stringify({ jsonrpc: '2.0', id: 0, method, params }), headers);
  const errorOf = ({ json }: { json: Record<string, unknown> }) => {
    const { code, data } = (json.error ?? {}) as {
      code?: number;
      data?: { metadata?: { oabReason?: string } }[];
    };
    return `${code ?? ''} ${data?.[0]?.metadata?.oabReason ?? ''}`.trim();
  };
  const audits = () => opened.journal.audits(0, 1000).filter(({ kind }) => kind === 'refused').length;

  it('carries a task from create to its verified log, over its own client', async () => {
    const peer = client();
    const { request } = requestOf({ task: 'hold 3', budget: { max_output_bytes: 10_000 } });
    const created = await peer.create(request, { signal: signal() });
    const taskId = created.task.id;
    assert.equal((await peer.create(request, { signal: signal() })).task.id, taskId);
    const seen: number[] = [];
    let head = firstHead(taskId, requestDigest(request));
    // SUBMITTED, WORKING and the one chunk before the task is held: from here on nothing moves until it is released.
    await opened.journal.wake(taskId, 2, signal());
    const first = await peer.get(taskId, '0', { signal: signal() });
    for (const { event, sequence } of first.page?.events ?? []) {
      head = headAfter(head, event);
      seen.push(sequence);
    }
    for await (const frame of peer.observe(taskId, { signal: signal() })) {
      if ('task' in frame) {
        assert.ok((frame.task.position?.sequence ?? 0) >= seen.length);
        release();
        continue;
      }
      assert.ok('event' in frame);
      if (frame.position.sequence <= seen.length) continue;
      head = headAfter(head, frame.event);
      seen.push(frame.position.sequence);
    }
    const { result, position } = await peer.get(taskId, undefined, { signal: signal() });
    assert.deepEqual(
      seen,
      Array.from({ length: position?.sequence ?? 0 }, (_, n) => n + 1),
    );
    assert.equal(head, result?.event_log.head);
    assert.equal(head, position?.head as Digest);
    await assert.rejects(
      peer.cancel(taskId, { signal: signal() }),
      (error: PeerRefusal) => error.reason === 'TASK_NOT_CANCELABLE',
    );
    await assert.rejects(
      peer.get('none', undefined, { signal: signal() }),
      (error: PeerRefusal) => error.reason === 'TASK_NOT_FOUND',
    );
  });

  it('is read by the stock SDK client, given only the service parameters (PRF-06)', async () => {
    const { request } = requestOf();
    const digest = requestDigest(request);
    const fetchImpl = (input: string | URL | Request, init?: RequestInit) => {
      const target = new URL(String(input instanceof Request ? input.url : input));
      const headers = new Headers(init?.headers);
      headers.set('authorization', `Bearer ${bearer(digest)}`);
      return fetch(`http://127.0.0.1:${port}${target.pathname}`, { ...init, headers });
    };
    const factory = new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [new JsonRpcTransportFactory({ fetchImpl })],
      }),
    );
    const card = (await (
      await fetch(`http://127.0.0.1:${port}/.well-known/agent-card.json`)
    ).json()) as Record<string, unknown>;
    assert.deepEqual(card.securitySchemes, {
      agentToken: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'oab-agent+jwt' } },
    });
    const { AgentCard, SendMessageRequest, GetTaskRequest } = await import('@a2a-js/sdk');
    const stock = await factory.createFromAgentCard(AgentCard.fromJSON(card));
    const serviceParameters = ServiceParameters.create(withA2AExtensions(EXT));
    const params = SendMessageRequest.fromJSON({
      message: messageFromRequest(request),
      configuration: { returnImmediately: false },
    });
    const answer = (await stock.sendMessage(params, { serviceParameters })) as {
      id: string;
      status: { state: number };
      artifacts: unknown[];
    };
    const task = (await stock.getTask(GetTaskRequest.fromJSON({ id: answer.id }), {
      serviceParameters,
    })) as typeof answer;
    assert.equal(task.id, answer.id);
    assert.equal(task.artifacts.length, 1);
    const states: string[] = [];
    for await (const item of stock.sendMessageStream(params, { serviceParameters }))
      states.push(JSON.stringify(item).slice(0, 40));
    assert.equal(states.length, 1, 'a duplicate by streaming of an ended task is its Task alone');
  });

  it('refuses in the order of the profile, with its codes, and one audit row each', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'GetTask', params: { id: 't' } });
    for (const [name, send, status, error] of [
      [
        'no credential before anything',
        () => post('{', { authorization: '', 'a2a-version': '', 'a2a-extensions': '' }),
        401,
        '-32603 UNAUTHENTICATED',
      ],
      ['no version', () => post(body, { 'a2a-version': '' }), 200, '-32009'],
      [
        'another version, before negotiation',
        () => post(body, { 'a2a-version': '0.3', 'a2a-extensions': '' }),
        200,
        '-32009',
      ],
      [
        'not negotiated, before parsing',
        () => post('{', { 'a2a-extensions': '' }),
        200,
        '-32008 NOT_NEGOTIATED',
      ],
      ['no JSON', () => post('{'), 200, '-32700'],
      ['no UTF-8', () => post(Buffer.from([0xff])), 200, '-32700'],
      ['a batch', () => post(`[${body}]`), 200, '-32600'],
      ['no id', () => post('{"jsonrpc":"2.0","method":"GetTask","params":{}}'), 200, '-32600'],
      [
        'another version of JSON-RPC',
        () => post('{"jsonrpc":"1.0","id":1,"method":"GetTask"}'),
        200,
        '-32600',
      ],
      ['no such method', () => call('tasks/get', {}), 200, '-32601'],
      [
        'a duplicate member',
        () => post('{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"a","id":"b"}}'),
        200,
        '-32602 MALFORMED',
      ],
      ['no task id', () => call('GetTask', {}), 200, '-32602 MALFORMED'],
      [
        'metadata on a cancel',
        () => call('CancelTask', { id: 't', metadata: { token: 'x' } }),
        200,
        '-32602 UNKNOWN_MEMBER',
      ],
      ['no message', () => call('SendMessage', {}), 200, '-32602 MALFORMED'],
      ['a body beyond the limit', () => post(Buffer.alloc(600_000, 0x20)), 200, '-32602 MALFORMED'],
    ] as const) {
      const before = audits();
      const answer = await send();
      assert.deepEqual([answer.status, errorOf(answer)], [status, error], name);
      await opened.journal.audit({ kind: 'start', at: 0, detail: {} });
      assert.equal(audits() - before, 1, `${name}: audit rows`);
    }
    assert.equal((await call('GetTask', {})).json.id, 0, 'id 0 is echoed');
    for (const method of [
      'CreateTaskPushNotificationConfig',
      'GetTaskPushNotificationConfig',
      'ListTaskPushNotificationConfigs',
      'DeleteTaskPushNotificationConfig',
    ]) {
      assert.equal(errorOf(await call(method, { taskId: 't', id: 'p' })), '-32003', method);
    }
    assert.ok(((await call('GetExtendedAgentCard', {})).json.result as { name: string }).name);
  });

  it('answers transient refusals with 503 and when to come again', async () => {
    await opened.executor.drain();
    const { request } = requestOf();
    const answer = await call(
      'SendMessage',
      { message: messageFromRequest(request) },
      { authorization: `Bearer ${bearer(requestDigest(request))}` },
    );
    assert.deepEqual(
      [answer.status, errorOf(answer), answer.headers['retry-after']],
      [503, '-32603 DRAINING', '1'],
    );
    await assert.rejects(
      client().create(request, { signal: signal() }),
      (error: PeerRefusal) => error.transient && error.retryAfterMs === 1000,
    );
  });

  it('beats while a stream is idle, uncompressed (OPEN-24), and leaves nothing behind when its reader goes', async () => {
    const { request, caller } = requestOf({ task: 'hold', budget: { max_output_bytes: 10_000 } });
    const { snapshot } = await opened.service.create(caller, request);
    const { taskId } = snapshot.row;
    const raw = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/',
      headers: {
        authorization: `Bearer ${bearer()}`,
        'a2a-version': '1.0',
        'a2a-extensions': EXT,
        'accept-encoding': 'gzip, deflate, br',
      },
    });
    raw.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id: taskId } }));
    const [response] = (await once(raw, 'response')) as [import('node:http').IncomingMessage];
    assert.deepEqual(
      [
        response.headers['a2a-extensions'],
        response.headers['content-type'],
        response.headers['x-accel-buffering'],
        response.headers['cache-control'],
        response.headers['content-encoding'],
      ],
      [EXT, 'text/event-stream', 'no', 'no-cache, no-transform', undefined],
    );
    let text = '';
    for await (const chunk of response) {
      text += String(chunk);
      if (text.includes('\n\n:\n\n')) break;
    }
    assert.ok(text.startsWith('data: {"jsonrpc":"2.0","id":1,"result":{"task":'));
    raw.destroy();
    for await (const frame of client().observe(taskId, { signal: signal() })) {
      // The task runs on to its end, whoever looked at it.
      if ('task' in frame) release();
    }
    assert.equal((await client().get(taskId, undefined, { signal: signal() })).result?.status, 'completed');
  });

  it('holds nothing for a reader that stops (OPEN-29)', async () => {
    const { request, caller } = requestOf({ task: '900', budget: { max_output_bytes: 1024 * 1024 } });
    const { snapshot } = await opened.service.create(caller, request);
    const peer = client();
    const frames = peer.observe(snapshot.row.taskId, { signal: signal() })[Symbol.asyncIterator]();
    await frames.next().catch(() => undefined);
    const other = client();
    let last = 0;
    try {
      for await (const frame of other.observe(snapshot.row.taskId, { signal: signal() }))
        if ('event' in frame) last = frame.position.sequence;
    } catch (error) {
      // It may have ended before this one subscribed.
      assert.equal((error as PeerRefusal).reason, 'UNSUPPORTED_OPERATION');
    }
    const { position } = await other.get(snapshot.row.taskId, undefined, { signal: signal() });
    assert.ok((position?.sequence ?? 0) > 900);
    assert.ok(last === 0 || last === position?.sequence);
    await frames.return?.();
  });

  describe('its client, towards a peer that is not as it should be', () => {
    /** Answers every connection with the same bytes after the request has come. */
    const hostile = async (answer: (path: string) => string | Buffer, stay = false) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', (data) => {
          socket.write(answer(String(data).split(' ')[1] ?? ''));
          if (!stay) socket.end();
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      return { connect: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
    };
    const http = (body: string, type = 'application/json', status = '200 OK') =>
      `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\na2a-extensions: ${EXT}\r\n\r\n${body}`;
    const card = () =>
      JSON.stringify(agentCard(opened.service.describe(), [{ url: URL_, protocolBinding: 'JSONRPC' }]));
    const observing = async (body: string | Buffer, type = 'text/event-stream', stay = false) => {
      const peer = await hostile(
        (path) =>
          path.startsWith('/.well-known') ? http(card()) : typeof body === 'string' ? http(body, type) : body,
        stay,
      );
      try {
        const frames = [];
        for await (const frame of client({ connect: peer.connect }).observe('t', { signal: signal() }))
          frames.push(frame);
        return frames;
      } finally {
        peer.close();
      }
    };
    const item = (result: unknown) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`;
    const task = {
      id: 't',
      contextId: 'c',
      status: { state: 'TASK_STATE_WORKING', timestamp: '2026-12-01T00:00:00.000Z' },
      metadata: { [KEY.event]: { turn_id: 'u', sequence: 1, cursor: 'c1' } },
    };

    it('takes no error for an empty success (OPEN-19)', async () => {
      const error = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32004, message: 'x' } });
      await assert.rejects(
        observing(error, 'application/json'),
        (thrown: PeerRefusal) => thrown.reason === 'UNSUPPORTED_OPERATION',
      );
      await assert.rejects(observing('{}', 'application/json'), PeerUnreachable);
      await assert.rejects(observing('<html>', 'text/html'), PeerUnreachable);
    });

    it('reads what is well formed and nothing else', async () => {
      assert.equal((await observing(`: beat\r\n\r\n${item({ task })}`)).length, 1);
      await assert.rejects(observing(item({ message: {} })), PeerUnreachable);
      await assert.rejects(
        observing(item({ statusUpdate: { taskId: 't', status: task.status } })),
        NotNegotiated,
      );
      await assert.rejects(
        observing(`data: {"jsonrpc":"2.0","id":1,"result":{"task":{},"task":{}}}\n\n`),
        PeerUnreachable,
      );
      await assert.rejects(observing('data: {"jsonrpc":"2.0","id":9,"result":{}}\n\n'), PeerUnreachable);
      await assert.rejects(observing(`data: ${'x'.repeat(5_000_000)}\n\n`), PeerUnreachable);
    });

    it('notices a silent link by 2.5 heartbeats', async () => {
      const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\na2a-extensions: ${EXT}\r\n\r\n`;
      await assert.rejects(observing(Buffer.from(`${head}${item({ task })}`), '', true), (error: Error) =>
        /2\.5 heartbeats/.test(error.message),
      );
    });

    it('uses no idle connection of a link that fell silent', async () => {
      const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\na2a-extensions: ${EXT}\r\n\r\n`;
      let connections = 0;
      const server = createServer((socket) => {
        connections += 1;
        let answered = 0;
        socket.on('error', () => undefined);
        socket.on('data', (data) => {
          const asked = String(data);
          if (asked.includes('/.well-known')) socket.write(http(card()));
          else if (asked.includes('SubscribeToTask')) socket.write(`${head}${item({ task })}`);
          else {
            // It dies while it is idle, and nothing says so.
            answered += 1;
            const [, id] = /"id":(\d+)/.exec(asked) ?? [];
            const answer = JSON.stringify({ jsonrpc: '2.0', id: Number(id), result: task });
            if (answered === 1) socket.write(http(answer));
          }
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const peer = client({ connect: `127.0.0.1:${(server.address() as AddressInfo).port}` });
      try {
        await peer.describe({ signal: signal() });
        const observed = (async () => {
          for await (const _frame of peer.observe('t', { signal: signal() }))
            await peer.get('t', undefined, { signal: signal() });
        })();
        await assert.rejects(observed, /2\.5 heartbeats/);
        assert.equal(connections, 2);
        assert.equal((await peer.get('t', undefined, { signal: signal() })).task.id, 't');
        assert.ok(connections > 2);
      } finally {
        await peer.close();
        server.close();
      }
    });

    it('sends nothing to a card without the extension, or of another origin (OPEN-33)', async () => {
      for (const change of [
        (text: string) => text.replaceAll(EXT, 'https://example.invalid/other'),
        (text: string) => text.replace(`"url":"${URL_}"`, '"url":"http://evil.invalid/"'),
        (text: string) => text.replace('"required":true', '"required":false'),
      ]) {
        const paths: string[] = [];
        const peer = await hostile((path) => {
          paths.push(path);
          return http(change(card()));
        });
        await assert.rejects(
          client({ connect: peer.connect }).create(requestOf().request, { signal: signal() }),
          NotNegotiated,
        );
        assert.deepEqual(paths, ['/.well-known/agent-card.json']);
        peer.close();
      }
    });
  });
});
