/** An HTTP request to the operation that it asks for, with the params that JSON-RPC would carry. */
import type { IncomingMessage } from 'node:http';
import { ProfileError } from '../../profile/errors.js';
import { parseStrictBytes, StrictJsonError } from '../../profile/strict-json.js';
import { queryOf } from '../http/negotiation.js';
import type { Asked } from '../http/serve-calls.js';
import { type Operation, route } from './routes.js';
import { NoOperation } from './status.js';

export interface RestRequest extends Asked {
  operation?: Operation;
}

const MEDIA = /^application\/(a2a\+)?json\s*(;|$)/i;

/** Query parameters by the kind of their value (A2A 11.5); the others are ignored, as unknown members are (A2A 5.7). */
const QUERY = {
  contextId: String,
  status: String,
  pageToken: String,
  statusTimestampAfter: String,
  pageSize: integer,
  historyLength: integer,
  includeArtifacts: boolean,
} as const;

/** Never throws: what is wrong stands in `fault`. `path` is what follows the interface's URL. */
export function readRequest(
  request: IncomingMessage,
  path: string,
  body: Buffer | ProfileError,
): RestRequest {
  try {
    const routed = route(request.method ?? '', path);
    if ('allowed' in routed) throw new NoOperation(routed.allowed);
    if (body instanceof ProfileError) throw body;
    const given = request.method === 'POST' ? bodyOf(request, body) : queryParams(queryOf(request));
    const { operation } = routed;
    return { operation, params: routed.id === undefined ? given : named(given, routed.id) };
  } catch (error) {
    return { params: undefined, fault: error as Error };
  }
}

/** The id of the path counts; another one in the body would be read by somebody else as the one that counts. */
function named(params: Record<string, unknown>, encoded: string): Record<string, unknown> {
  let id: string;
  try {
    id = decodeURIComponent(encoded);
  } catch {
    throw new ProfileError('MALFORMED', 'path');
  }
  if (params.id !== undefined && params.id !== id) throw new ProfileError('MALFORMED', 'id');
  return { ...params, id };
}

/** An absent body is an empty object: a cancel has nothing to say beside its path. */
function bodyOf({ headers }: IncomingMessage, body: Buffer): Record<string, unknown> {
  if (body.length === 0) return {};
  const type = headers['content-type'];
  if (type !== undefined && !MEDIA.test(type))
    throw ProfileError.violating('CONTENT_TYPE_NOT_SUPPORTED', 'a content type that is no JSON');
  let value: unknown;
  try {
    value = parseStrictBytes(body);
  } catch (error) {
    if (error instanceof StrictJsonError) throw ProfileError.violating('MALFORMED', error.message);
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw ProfileError.violating('MALFORMED', 'no object');
  return value as Record<string, unknown>;
}

function queryParams(query: URLSearchParams): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(QUERY)) {
    const values = query.getAll(name);
    // Which of them counts would depend on who reads.
    if (values.length > 1) throw new ProfileError('MALFORMED', name);
    const [value] = values;
    if (value !== undefined && value !== '') params[name] = read(value);
  }
  return params;
}

/** What is none stays a text, which no param of this kind may be. */
function integer(text: string): number | string {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

function boolean(text: string): boolean | string {
  return text === 'true' || text === 'false' ? text === 'true' : text;
}
