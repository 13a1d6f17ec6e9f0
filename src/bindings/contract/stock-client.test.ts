/** The SDK's own client reads the executor, given nothing but the service parameters (PRF-06). */
import assert from 'node:assert/strict';
import { AgentCard, GetTaskRequest, ListTasksRequest, SendMessageRequest } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
  ServiceParameters,
  withA2AExtensions,
} from '@a2a-js/sdk/client';
import { requestOf } from '../../executor/testing/harness.js';
import { messageFromRequest } from '../../profile/message.js';
import { EXT } from '../../profile/names.js';
import { requestDigest } from '../../profile/request.js';
import { bearer, openRig, type Rig } from '../testing/rig.js';

interface StockTask {
  id: string;
  status: { state: number };
  artifacts: unknown[];
}
const COMPLETED = 3;
const CANCELED = 5;

for (const [name, Factory] of [
  ['JSONRPC', JsonRpcTransportFactory],
  ['HTTP+JSON', RestTransportFactory],
] as const) {
  describe(`the stock SDK client over ${name}`, () => {
    let rig: Rig;
    beforeEach(async () => {
      rig = await openRig();
    });
    afterEach(() => rig.close());

    const serviceParameters = ServiceParameters.create(withA2AExtensions(EXT));
    const open = async (req: string) => {
      const fetchImpl = (input: string | URL | Request, init?: RequestInit) => {
        const { pathname, search } = new URL(String(input instanceof Request ? input.url : input));
        const headers = new Headers(init?.headers);
        headers.set('authorization', `Bearer ${bearer({ req })}`);
        return fetch(`http://127.0.0.1:${rig.port}${pathname}${search}`, { ...init, headers });
      };
      const factory = new ClientFactory(
        ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
          transports: [new Factory({ fetchImpl })],
          preferredTransports: [name],
        }),
      );
      const answer = await fetch(`http://127.0.0.1:${rig.port}/.well-known/agent-card.json`);
      const card = (await answer.json()) as Record<string, unknown>;
      assert.deepEqual(card.securitySchemes, {
        agentToken: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'oab-agent+jwt' } },
      });
      return factory.createFromAgentCard(AgentCard.fromJSON(card));
    };
    const paramsOf = (request: Parameters<typeof messageFromRequest>[0], returnImmediately = false) =>
      SendMessageRequest.fromJSON({
        message: messageFromRequest(request),
        configuration: { returnImmediately },
      });

    it('sends, reads, lists, and is told of a duplicate by streaming', async () => {
      const { request } = requestOf({ budget: { max_output_bytes: 10_000 } });
      const stock = await open(requestDigest(request));
      const params = paramsOf(request);
      const answer = (await stock.sendMessage(params, { serviceParameters })) as StockTask;
      const task = (await stock.getTask(GetTaskRequest.fromJSON({ id: answer.id }), {
        serviceParameters,
      })) as StockTask;
      assert.deepEqual([task.id, task.status.state, task.artifacts.length], [answer.id, COMPLETED, 1]);
      const { tasks } = await stock.listTasks(ListTasksRequest.fromJSON({ pageSize: 1 }), {
        serviceParameters,
      });
      assert.deepEqual(
        tasks.map(({ id }) => id),
        [answer.id],
      );
      let items = 0;
      for await (const _item of stock.sendMessageStream(params, { serviceParameters })) items += 1;
      assert.equal(items, 1, 'a duplicate by streaming of an ended task is its Task alone');
    });

    it('subscribes, cancels, and knows the errors by their types', async () => {
      const { request } = requestOf({ task: 'hold' });
      const stock = await open(requestDigest(request));
      const { id } = (await stock.sendMessage(paramsOf(request, true), { serviceParameters })) as StockTask;
      await rig.opened.journal.wake(id, 2, AbortSignal.timeout(10_000));
      const kinds: (string | undefined)[] = [];
      for await (const { payload } of stock.resubscribeTask({ tenant: '', id }, { serviceParameters })) {
        kinds.push(payload?.$case);
        if (kinds.length === 1)
          await stock.cancelTask({ tenant: '', id, metadata: undefined }, { serviceParameters });
      }
      assert.equal(kinds[0], 'task');
      assert.equal(kinds.at(-1), 'statusUpdate');
      const ended = (await stock.getTask(GetTaskRequest.fromJSON({ id }), {
        serviceParameters,
      })) as StockTask;
      assert.equal(ended.status.state, CANCELED);
      await assert.rejects(
        stock.getTask(GetTaskRequest.fromJSON({ id: 'nobody' }), { serviceParameters }),
        (error: Error) => /TaskNotFound/.test(error.name),
      );
      await assert.rejects(stock.getTask(GetTaskRequest.fromJSON({ id })), (error: Error) =>
        /ExtensionSupportRequired/.test(error.name),
      );
    });
  });
}
