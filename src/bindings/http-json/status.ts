/** Errors of the HTTP+JSON binding: `google.rpc.Status` with A2A's ErrorInfo (A2A 11.6; profile section 7). */
import { A2A_ERROR_DOMAIN, ERROR_INFO_TYPE } from '@a2a-js/sdk/errors';
import { ProfileError } from '../../profile/errors.js';
import { internalError, toA2AError } from '../a2a/errors.js';
import type { Refused } from '../http/serve-calls.js';

/** Nothing is at this path, or not for this verb; before A2A, as an unknown method is on JSON-RPC. */
export class NoOperation extends Error {
  override name = 'NoOperation';
  /** The verbs that the path has; none when nothing is there. */
  constructor(readonly allowed: readonly string[]) {
    super('No such operation');
  }
}

/** The names of google.rpc.Code; a 400 is an argument that is wrong, unless the state of things forbids the call. */
const NAMES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};
const ARGUMENT = new Set(['INVALID_PARAMS', 'CONTENT_TYPE_NOT_SUPPORTED']);

export function refusedAs(error: unknown): Refused {
  if (error instanceof NoOperation) {
    const status = error.allowed.length === 0 ? 404 : 405;
    const info = { '@type': ERROR_INFO_TYPE, reason: 'METHOD_NOT_FOUND', domain: A2A_ERROR_DOMAIN };
    return {
      status,
      text: statusText(status, nameOf(status), error.message, info),
      ...(status === 405 ? { headers: { allow: error.allowed.join(', ') } } : {}),
      fault: `HTTP ${status}`,
    };
  }
  const known = error instanceof ProfileError ? error : undefined;
  const sdk = known === undefined ? internalError() : toA2AError(known);
  const status = known?.http ?? 500;
  return { status, text: statusText(status, nameOf(status, known), sdk.message, sdk.toErrorInfo()) };
}

function nameOf(status: number, error?: ProfileError): string {
  const argument = error !== undefined && ARGUMENT.has(error.a2aReason);
  return NAMES[status] ?? (argument ? 'INVALID_ARGUMENT' : 'FAILED_PRECONDITION');
}

function statusText(code: number, status: string, message: string, info: object): string {
  return JSON.stringify({ error: { code, status, message, details: [info] } });
}
