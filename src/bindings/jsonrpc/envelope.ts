/** JSON-RPC 2.0 envelopes, read from a body and written as text. */
import { toJsonRpcError } from '@a2a-js/sdk/errors';
import { ProfileError } from '../../profile/errors.js';
import { parseStrictBytes, StrictJsonError } from '../../profile/strict-json.js';
import { internalError, toA2AError } from '../a2a/errors.js';

export type Id = string | number | null;

/** A request, as far as it can be read. */
export interface Envelope {
  id: Id;
  method: string;
  params: unknown;
  fault?: RpcFault | ProfileError;
}

/** A fault of JSON-RPC itself, before A2A: parse error, invalid request, unknown method. */
export class RpcFault extends Error {
  override name = 'RpcFault';
  constructor(
    readonly code: -32700 | -32600 | -32601,
    message: string,
  ) {
    super(message);
  }
}

export const METHODS: ReadonlySet<string> = new Set([
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
]);

/** Never throws: what is wrong stands in `fault`, with the id as far as it can be read. */
export function readEnvelope(body: Buffer | ProfileError): Envelope {
  const faulty = (fault: RpcFault | ProfileError, id: Id = null): Envelope => ({
    id,
    method: '',
    params: undefined,
    fault,
  });
  if (body instanceof ProfileError) return faulty(body);
  let value: unknown;
  try {
    value = parseStrictBytes(body);
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const json = error.message !== 'not JSON' && error.message !== 'not UTF-8';
    return faulty(
      json
        ? ProfileError.violating('MALFORMED', error.message)
        : new RpcFault(-32700, `Parse error: ${error.message}`),
    );
  }
  const invalid = (id?: Id) => faulty(new RpcFault(-32600, 'Invalid Request'), id);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalid();
  const { jsonrpc, id, method, params } = value as Record<string, unknown>;
  const known = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
  if (!known) return invalid();
  if (jsonrpc !== '2.0' || typeof method !== 'string') return invalid(id);
  if (!METHODS.has(method)) return faulty(new RpcFault(-32601, 'Method not found'), id);
  if (typeof params !== 'object' && params !== undefined)
    return faulty(new ProfileError('MALFORMED', 'params'), id);
  return { id, method, params: params ?? {} };
}

export function errorText(id: Id, error: unknown): string {
  if (error instanceof RpcFault) {
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: error.code, message: error.message } });
  }
  const known = error instanceof ProfileError ? toA2AError(error) : internalError();
  return JSON.stringify({ jsonrpc: '2.0', id, error: toJsonRpcError(known) });
}

/** The beginning and end of a result whose JSON text is put between them as it is. */
export function resultFrame(id: Id): { head: string; tail: string } {
  return { head: `data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, tail: '}\n\n' };
}
