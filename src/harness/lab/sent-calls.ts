/** What a client asked of an executor over one connection of a link, whichever binding it spoke. */
import { sentRequests } from './http-requests.js';
import type { TapConnection } from './ports.js';
import { websocketMessages } from './websocket-messages.js';

export interface SentCall {
  /** `observe` is a request for a stream; `events` one for events behind a cursor, which on OAB is a stream too. */
  does: 'create' | 'observe' | 'events' | 'other';
  /** As text, without what is new in each request: its id and its token. */
  message: string;
  cursor?: string;
}

const CREATES = new Set(['SendMessage', 'SendStreamingMessage', 'create']);

/** Whole requests only; of an encrypted connection whose secrets nobody logged there are none. */
export function sentCalls(connection: Pick<TapConnection, 'plain'>): SentCall[] {
  const frames = websocketMessages(connection.plain('upstream'));
  if (frames.length > 0) return frames.flatMap(({ text }) => callIn(text));
  return sentRequests(connection).flatMap(({ line, body, headers }) => {
    const cursor = headers['oab-cursor'];
    const whole = Buffer.byteLength(body) === Number(headers['content-length'] ?? 0);
    if (!whole) return [];
    const does = byPath(line, cursor);
    return does === undefined ? callIn(body, cursor) : [{ does, message: body, ...(cursor && { cursor }) }];
  });
}

/** Does a connection carry a stream, as far as it was asked for one? */
export function isObserved(connection: Pick<TapConnection, 'plain'>): boolean {
  return sentCalls(connection).some(({ does }) => does === 'observe');
}

/** On HTTP+JSON verb and path say it; undefined where they say nothing. */
function byPath(line: string, cursor: string | undefined): SentCall['does'] | undefined {
  if (/^POST \/message:/.test(line)) return 'create';
  const [, verb] = /^\w+ \/tasks\/[^/ ?]+?(:subscribe|:cancel)?[ ?]/.exec(line) ?? [];
  if (verb === ':subscribe') return 'observe';
  if (verb === ':cancel') return 'other';
  if (/^GET \/tasks/.test(line)) return cursor === undefined ? 'other' : 'events';
  return undefined;
}

function callIn(text: string, header?: string): SentCall[] {
  let json: {
    method?: unknown;
    params?: { cursor?: unknown };
    serviceParameters?: Record<string, unknown>;
  };
  try {
    json = JSON.parse(text) as typeof json;
  } catch {
    return [];
  }
  const { method, params, serviceParameters } = json;
  const said = header ?? serviceParameters?.['OAB-Cursor'] ?? params?.cursor;
  const cursor = typeof said === 'string' ? said : undefined;
  const call = {
    message: text
      .replace(/"id":(?:\d+|"[^"]*")/, '"id":0')
      .replace(/,?"(?:token|Authorization)":"[^"]*"/, ''),
    ...(cursor === undefined ? {} : { cursor }),
  };
  if (CREATES.has(String(method))) return [{ ...call, does: 'create' }];
  if (method === 'SubscribeToTask') return [{ ...call, does: 'observe' }];
  if (method === 'GetTask') return [{ ...call, does: cursor === undefined ? 'other' : 'events' }];
  // One request, and both at once.
  if (method === 'events')
    return [
      { ...call, does: 'observe' },
      { ...call, does: 'events' },
    ];
  return [{ ...call, does: 'other' }];
}
