/**
 * The binding as a transport of the SDK's client: with its factory registered, `ClientFactory` speaks it to every agent
 * whose card lists it (docs/bindings/wss.md has an example). Off by default, as A2A wants of custom bindings.
 */
import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  type SendMessageResult,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import type { RequestOptions, Transport, TransportFactory } from '@a2a-js/sdk/client';
import { fromJsonRpcErrorResponse } from '@a2a-js/sdk/errors';
import { NotNegotiated } from '../../coordinator/connection.js';
import { negotiate } from '../../profile/card.js';
import { A2A_VERSION, WSS_BINDING } from '../../profile/names.js';
import type { DialOptions } from '../http/dial.js';
import { httpOriginOf } from '../http/fetch-card.js';
import { type Asking, type WssCalls, wssCalls } from './calls.js';
import { RefusedCall } from './client-frames.js';

export interface WssTransportOptions extends DialOptions {
  /** The agent's http or https URL, as whoever registers this knows it: no other origin ever gets a token (OPEN-33). */
  url: string;
  /**
   * A token for one call, from its method and its params as they go over the wire; for the upgrade, without either.
   * undefined when a certificate does.
   */
  credentials(call?: { method: string; params: unknown }): string | undefined | Promise<string | undefined>;
  /** For the opening of a connection; 10 s by default. An answer is waited for until the caller's signal says not to. */
  timeoutMs?: number;
}

const OPENING_MS = 10_000;

/** `create` throws NotNegotiated for a card without the profile, or with the interface at another origin. */
export function wssTransportFactory(options: WssTransportOptions): TransportFactory {
  return {
    protocolName: WSS_BINDING,
    async create(url, card) {
      const negotiated = negotiate(AgentCard.toJSON(card), 'WSS');
      if ('refused' in negotiated)
        throw new NotNegotiated(`${negotiated.refused} ${negotiated.detail ?? ''}`.trim());
      if (!/^wss?:/.test(url) || httpOriginOf(url) !== new URL(options.url).origin)
        throw new NotNegotiated('the card names an interface at another origin');
      const { params } = negotiated;
      const { timeoutMs = OPENING_MS, credentials, ...dial } = options;
      return new WssTransport(
        wssCalls({ ...dial, url, params, timeoutMs, token: () => credentials() }),
        credentials,
      );
    },
  };
}

export class WssTransport implements Transport {
  readonly protocolName = WSS_BINDING;
  readonly protocolVersion = A2A_VERSION;
  readonly #calls: WssCalls;
  readonly #credentials: WssTransportOptions['credentials'];

  constructor(calls: WssCalls, credentials: WssTransportOptions['credentials']) {
    this.#calls = calls;
    this.#credentials = credentials;
  }

  async sendMessage(params: SendMessageRequest, options?: RequestOptions): Promise<SendMessageResult> {
    const result = await this.#unary('SendMessage', SendMessageRequest.toJSON(params), options);
    const { payload } = SendMessageResponse.fromJSON(result);
    if (payload === undefined) throw new TypeError('an answer with neither a task nor a message');
    return payload.value;
  }

  sendMessageStream(params: SendMessageRequest, options?: RequestOptions) {
    return this.#stream('SendStreamingMessage', SendMessageRequest.toJSON(params), options);
  }

  resubscribeTask(params: SubscribeToTaskRequest, options?: RequestOptions) {
    return this.#stream('SubscribeToTask', SubscribeToTaskRequest.toJSON(params), options);
  }

  async getTask(params: GetTaskRequest, options?: RequestOptions): Promise<Task> {
    return Task.fromJSON(await this.#unary('GetTask', GetTaskRequest.toJSON(params), options));
  }

  async cancelTask(params: CancelTaskRequest, options?: RequestOptions): Promise<Task> {
    return Task.fromJSON(await this.#unary('CancelTask', CancelTaskRequest.toJSON(params), options));
  }

  async listTasks(params: ListTasksRequest, options?: RequestOptions): Promise<ListTasksResponse> {
    const result = await this.#unary('ListTasks', ListTasksRequest.toJSON(params), options);
    return ListTasksResponse.fromJSON(result);
  }

  async getExtendedAgentCard(
    params: GetExtendedAgentCardRequest,
    options?: RequestOptions,
  ): Promise<AgentCard> {
    const asked = GetExtendedAgentCardRequest.toJSON(params);
    return AgentCard.fromJSON(await this.#unary('GetExtendedAgentCard', asked, options));
  }

  async createTaskPushNotificationConfig(
    params: TaskPushNotificationConfig,
    options?: RequestOptions,
  ): Promise<TaskPushNotificationConfig> {
    const asked = TaskPushNotificationConfig.toJSON(params);
    const result = await this.#unary('CreateTaskPushNotificationConfig', asked, options);
    return TaskPushNotificationConfig.fromJSON(result);
  }

  async getTaskPushNotificationConfig(
    params: GetTaskPushNotificationConfigRequest,
    options?: RequestOptions,
  ): Promise<TaskPushNotificationConfig> {
    const asked = GetTaskPushNotificationConfigRequest.toJSON(params);
    const result = await this.#unary('GetTaskPushNotificationConfig', asked, options);
    return TaskPushNotificationConfig.fromJSON(result);
  }

  async listTaskPushNotificationConfig(
    params: ListTaskPushNotificationConfigsRequest,
    options?: RequestOptions,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    const asked = ListTaskPushNotificationConfigsRequest.toJSON(params);
    const result = await this.#unary('ListTaskPushNotificationConfigs', asked, options);
    return ListTaskPushNotificationConfigsResponse.fromJSON(result);
  }

  async deleteTaskPushNotificationConfig(
    params: DeleteTaskPushNotificationConfigRequest,
    options?: RequestOptions,
  ): Promise<void> {
    const asked = DeleteTaskPushNotificationConfigRequest.toJSON(params);
    await this.#unary('DeleteTaskPushNotificationConfig', asked, options);
  }

  /** Gives the connection up; calls that are open end, and what they asked for is as it was. */
  close(): Promise<void> {
    return this.#calls.close();
  }

  async #unary(method: string, params: unknown, options: RequestOptions | undefined): Promise<unknown> {
    try {
      const asking = await this.#asking(method, params, options);
      return (await this.#calls.call(asking, signalOf(options))).result;
    } catch (error) {
      throw inSdkWords(error);
    }
  }

  async *#stream(
    method: string,
    params: unknown,
    options: RequestOptions | undefined,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      const asking = await this.#asking(method, params, options);
      yield* this.#calls.stream(asking, ({ result }) => StreamResponse.fromJSON(result), signalOf(options));
    } catch (error) {
      throw inSdkWords(error);
    }
  }

  async #asking(method: string, params: unknown, options: RequestOptions | undefined): Promise<Asking> {
    const serviceParameters = { ...options?.serviceParameters };
    return { method, params, serviceParameters, token: await this.#credentials({ method, params }) };
  }
}

function signalOf(options: RequestOptions | undefined): AbortSignal {
  return options?.signal ?? new AbortController().signal;
}

/** The same classes as over the SDK's own JSON-RPC transport; what the network did stays PeerUnreachable. */
function inSdkWords(error: unknown): unknown {
  if (!(error instanceof RefusedCall)) return error;
  return fromJsonRpcErrorResponse({ jsonrpc: '2.0', id: null, error: error.error } as never);
}
