/** Our A2A request handler under the SDK's transport handlers: their types in and out, our journal underneath. */
import {
  AgentCard,
  type GetTaskRequest,
  ListTasksResponse,
  StreamResponse,
  Task,
  type TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { ProfileError } from '../../profile/errors.js';
import type { Call, CallObserver } from './call.js';
import { internalError, toA2AError } from './errors.js';
import type { EventStream, Operations } from './operations.js';

const CALL = 'oab.call';

/** Puts our call where the handler finds it: the SDK's own types have lost what the wire said. */
export function attachCall(context: ServerCallContext, call: Call): void {
  context.state.set(CALL, call);
}

export function requestHandler(operations: Operations, observer: CallObserver): A2ARequestHandler {
  const guarded = async <T>(context: ServerCallContext, run: (call: Call) => Promise<T> | T): Promise<T> => {
    const call = context.state.get(CALL) as Call;
    try {
      return await run(call);
    } catch (error) {
      if (!(error instanceof ProfileError)) {
        observer.onDefect(error);
        throw internalError();
      }
      observer.onRefusal(call, error);
      throw toA2AError(error);
    }
  };
  async function* stream(context: ServerCallContext, open: (call: Call) => Promise<EventStream>) {
    const { first, rest } = await guarded(context, open);
    yield StreamResponse.fromJSON(JSON.parse(first));
    for await (const batch of rest) for (const text of batch) yield StreamResponse.fromJSON(JSON.parse(text));
  }
  const push = (context: ServerCallContext) => guarded(context, () => operations.push());

  return {
    getAgentCard: async () => AgentCard.fromJSON(operations.card()),
    getAuthenticatedExtendedAgentCard: (_params, context) =>
      guarded(context, () => AgentCard.fromJSON(operations.card())),
    sendMessage: (_params, context) =>
      guarded(context, async (call) => Task.fromJSON(await operations.send(call))),
    sendMessageStream: (_params, context) => stream(context, (call) => operations.sendStreaming(call)),
    getTask: (_params: GetTaskRequest, context) =>
      guarded(context, async (call) => Task.fromJSON(await operations.get(call))),
    listTasks: (_params, context) =>
      guarded(context, async (call) => ListTasksResponse.fromJSON(await operations.list(call))),
    cancelTask: (_params, context) =>
      guarded(context, async (call) => Task.fromJSON(await operations.cancel(call))),
    resubscribe: (_params, context) => stream(context, (call) => operations.subscribe(call)),
    createTaskPushNotificationConfig: (_params: TaskPushNotificationConfig, context) => push(context),
    getTaskPushNotificationConfig: (_params, context) => push(context),
    listTaskPushNotificationConfigs: (_params, context) => push(context),
    deleteTaskPushNotificationConfig: (_params, context) => push(context),
  };
}
