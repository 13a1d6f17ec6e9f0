/** The SDK's own client, unchanged, over this binding: all that it needs is the factory. */
import assert from 'node:assert/strict';
import { AgentCard, Role, type StreamResponse, TaskState } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  ServiceParameters,
  withA2AExtensions,
} from '@a2a-js/sdk/client';
import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import { NotNegotiated, PeerUnreachable } from '../../coordinator/connection.js';
import { requestOf } from '../../executor/testing/harness.js';
import { requestFromParams } from '../../profile/message.js';
import { EXT, KEY, WSS_BINDING } from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import { card as rawCard } from './testing/raw-server.js';
import { bearer, openRig } from './testing/rig.js';
import { type WssTransport, type WssTransportOptions, wssTransportFactory } from './transport.js';

describe('the SDK’s client over WebSocket', () => {
  let rig: Awaited<ReturnType<typeof openRig>>;
  const clients: Client[] = [];
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(async () => {
    for (const { transport } of clients.splice(0)) await (transport as WssTransport).close();
    await rig.close();
  });

  const options = { serviceParameters: ServiceParameters.create(withA2AExtensions(EXT)) };
  const factory = (more: Partial<WssTransportOptions> = {}) =>
    new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [
          wssTransportFactory({
            url: 'http://oab-b.lab/',
            connect: `127.0.0.1:${rig.port}`,
            insecureLoopback: true,
            credentials(call) {
              if (!call?.method.startsWith('Send')) return bearer();
              const self = { peer: 'oab-b', maxTaskBytes: 65_536 };
              return bearer({ req: requestDigest(requestFromParams(call.params, self).request) });
            },
            ...more,
          }),
        ],
      }),
    );
  const fetched = async () =>
    AgentCard.fromJSON(
      await (await fetch(`http://127.0.0.1:${rig.port}/.well-known/agent-card.json`)).json(),
    );
  const connect = async (more: Partial<WssTransportOptions> = {}) => {
    const client = await factory(more).createFromAgentCard(await fetched());
    clients.push(client);
    return client;
  };
  const message = (task: string) => {
    const { request } = requestOf({ task, budget: { max_output_bytes: 100_000 } });
    const { task: text, ...rest } = request;
    return {
      tenant: '',
      message: {
        messageId: request.request_id,
        contextId: '',
        taskId: '',
        role: Role.ROLE_USER,
        parts: [
          {
            content: { $case: 'text' as const, value: text },
            metadata: undefined,
            filename: '',
            mediaType: '',
          },
        ],
        metadata: { [KEY.request]: rest },
        extensions: [EXT],
        referenceTaskIds: [],
      },
      configuration: undefined,
      metadata: undefined,
    };
  };
  const casesOf = (items: StreamResponse[]) => items.map(({ payload }) => payload?.$case);

  it('chooses it by the card, and reads a task from its creation to its end', async () => {
    const client = await connect();
    assert.equal(client.transport.protocolName, WSS_BINDING);
    const items: StreamResponse[] = [];
    for await (const item of client.sendMessageStream(message('say 80'), options)) items.push(item);
    const [first] = items;
    assert.ok(first?.payload?.$case === 'task');
    assert.ok(casesOf(items).includes('artifactUpdate'));
    const last = items.at(-1)?.payload;
    assert.ok(last?.$case === 'statusUpdate');
    assert.equal(last.value.status?.state, TaskState.TASK_STATE_COMPLETED);
    const { id } = first.payload.value;
    const task = await client.getTask({ tenant: '', id, historyLength: undefined }, options);
    assert.deepEqual(task.metadata?.[KEY.result], last.value.metadata?.[KEY.result]);
    const listed = await client.listTasks(
      {
        tenant: '',
        contextId: '',
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageSize: 10,
        pageToken: '',
        historyLength: undefined,
        statusTimestampAfter: undefined,
        includeArtifacts: false,
      },
      options,
    );
    assert.deepEqual(
      listed.tasks.map((one) => one.id),
      [id],
    );
  });

  it('creates, subscribes, cancels, and waits for the end of a blocking send', async () => {
    const client = await connect();
    const polled = { ...message('hold'), configuration: { returnImmediately: true } as never };
    const made = await client.sendMessage(polled, options);
    assert.ok('id' in made);
    const items: StreamResponse[] = [];
    const reading = (async () => {
      for await (const item of client.resubscribeTask({ tenant: '', id: made.id }, options)) items.push(item);
    })();
    await client.cancelTask({ tenant: '', id: made.id, metadata: undefined }, options);
    rig.release();
    await reading;
    const last = items.at(-1)?.payload;
    assert.ok(last?.$case === 'statusUpdate');
    const blocking = await client.sendMessage(message('say 2'), options);
    assert.ok('status' in blocking);
    assert.equal(blocking.status?.state, TaskState.TASK_STATE_COMPLETED);
    const card = await client.getAgentCard(options);
    assert.equal(card.supportedInterfaces[0]?.protocolBinding, WSS_BINDING);
  });

  it('throws the SDK’s own errors for refusals, and what the network did for the rest', async () => {
    const client = await connect();
    const none = { tenant: '', id: 'none', historyLength: undefined };
    await assert.rejects(client.getTask(none, options), TaskNotFoundError);
    // Without the extension nothing is done.
    await assert.rejects(client.getTask(none), /./);
    const expired = await connect({
      credentials: (call) => bearer(call === undefined ? {} : { expired: true }),
    });
    await assert.rejects(expired.getTask(none, options), /./);
    await rig.listener.close(0);
    await assert.rejects(client.getTask(none, options), PeerUnreachable);
  });

  it('gives no token to an interface at another origin, nor to an agent without the profile (OPEN-33)', async () => {
    const asked: unknown[] = [];
    const watched = factory({
      credentials(call) {
        asked.push(call);
        return bearer();
      },
    });
    for (const other of [
      rawCard('ws://evil.test/'),
      rawCard('ws://oab-b.lab@evil.test/'),
      rawCard('http://oab-b.lab/'),
      { ...rawCard(), capabilities: {} },
    ])
      await assert.rejects(watched.createFromAgentCard(AgentCard.fromJSON(other)), NotNegotiated);
    assert.deepEqual(asked, []);
  });

  it('is off unless it is registered (A2A custom bindings)', async () => {
    const card = await fetched();
    const client = await new ClientFactory().createFromAgentCard(card);
    assert.equal(client.transport.protocolName, 'JSONRPC');
  });
});
