/** Verbs and paths of the HTTP+JSON binding (A2A 5.3, 11.3), below the URL of its interface. */
import type { Operations } from '../a2a/operations.js';

export type Operation = keyof Operations;

interface Route {
  path: RegExp;
  verbs: Readonly<Record<string, Operation>>;
}

/** The tenant of a path is a word of routing that no interface of ours names: it is read and means nothing. */
const at = (path: string) => new RegExp(`^(?:/[^/]+)?${path}$`);
const ID = '([^/]+)';

/** The first that fits. */
const ROUTES: readonly Route[] = [
  { path: at('/message:send'), verbs: { POST: 'send' } },
  { path: at('/message:stream'), verbs: { POST: 'sendStreaming' } },
  { path: at(`/tasks/${ID}/pushNotificationConfigs`), verbs: { GET: 'push', POST: 'push' } },
  { path: at(`/tasks/${ID}/pushNotificationConfigs/${ID}`), verbs: { GET: 'push', DELETE: 'push' } },
  { path: at(`/tasks/${ID}:cancel`), verbs: { POST: 'cancel' } },
  // POST in the specification's text, GET in its proto.
  { path: at(`/tasks/${ID}:subscribe`), verbs: { GET: 'subscribe', POST: 'subscribe' } },
  { path: at(`/tasks/${ID}`), verbs: { GET: 'get' } },
  { path: at('/tasks'), verbs: { GET: 'list' } },
  { path: at('/extendedAgentCard'), verbs: { GET: 'card' } },
];

export type Routed =
  | { operation: Operation /** As it stands in the path, still encoded. */; id?: string }
  /** The verbs of a path that has others; none of a path that nothing is at. */
  | { allowed: readonly string[] };

/** `path` begins with a slash, and has no query. */
export function route(verb: string, path: string): Routed {
  for (const { path: pattern, verbs } of ROUTES) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const operation = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (operation === undefined) return { allowed: Object.keys(verbs) };
    return { operation, ...(match[1] === undefined ? {} : { id: match[1] }) };
  }
  return { allowed: [] };
}
