/** What A2A's JSON-RPC envelopes hold, whatever carries them: the eleven operations, and an answer as a probe tells it. */
import { type ErrorInfo, errorOf } from './a2a-http.js';
import type { Json, ProbeAnswer } from './probe.js';
import { type WireRequest, wireDigest, wireMessage } from './request.js';

interface A2AOperation {
  name: string;
  params: Json;
  /** The digest that the token is bound to. */
  req?: string;
}

/** Each as a call that would be valid for this task. */
export function a2aOperations(taskId: string, request: WireRequest): A2AOperation[] {
  const message = wireMessage(request);
  const req = wireDigest(request);
  const push = { taskId, url: 'https://example.invalid/hook' };
  return [
    { name: 'SendMessage', params: { message, configuration: { returnImmediately: true } }, req },
    { name: 'SendStreamingMessage', params: { message }, req },
    { name: 'GetTask', params: { id: taskId } },
    { name: 'ListTasks', params: {} },
    { name: 'CancelTask', params: { id: taskId } },
    { name: 'SubscribeToTask', params: { id: taskId } },
    { name: 'CreateTaskPushNotificationConfig', params: push },
    { name: 'GetTaskPushNotificationConfig', params: { taskId, id: 'p' } },
    { name: 'ListTaskPushNotificationConfigs', params: { taskId } },
    { name: 'DeleteTaskPushNotificationConfig', params: { taskId, id: 'p' } },
    { name: 'GetExtendedAgentCard', params: {} },
  ];
}

export function sendParams(
  request: WireRequest,
  more: { message?: Json; configuration?: Json; params?: Json },
): Json {
  return {
    ...more.params,
    message: more.message ?? wireMessage(request),
    configuration: more.configuration ?? { returnImmediately: true },
  };
}

/** The result or the refusal in an envelope; what is none shows by having neither. */
export function saidIn({ result, error }: Json): Pick<ProbeAnswer, 'result' | 'error'> {
  const said: Pick<ProbeAnswer, 'result' | 'error'> = {};
  if (typeof result === 'object' && result !== null) {
    const { task, ...rest } = result as Json;
    said.result = (task as Json | undefined) ?? rest;
  }
  const refusal = error as { code: number; data?: ErrorInfo[] } | null | undefined;
  if (refusal !== undefined && refusal !== null) said.error = errorOf(refusal.code, refusal.data?.[0]);
  return said;
}
