/** Counts the profile in what was captured: everything on the wire that A2A 1.0 and HTTP do not have by themselves. */
import { EXT } from '../../profile/names.js';
import type { Json } from '../wire/probe.js';
import { ENDPOINTS, ERROR_CODES, HEADERS, MEMBERS, METHODS, operationAt, VALUES } from './core.js';
import type { HttpExchange } from './http-exchanges.js';
import type { Size } from './size.js';

/** Objects of ours whose members are counted apart from what is below them. */
const REQUEST = 'EXT/request';
const RESULT = 'EXT/result';
const PAGE = 'EXT/events';

export class Measure {
  readonly #sets = new Map<keyof Size, Set<string>>();
  /** Member sets of each request and result seen: what all of them have is not optional. */
  readonly #requests: string[][] = [];
  readonly #results: string[][] = [];

  exchange({ request, answer }: HttpExchange): void {
    const [method = '', target = ''] = request.line.split(' ');
    const path = target.split('?', 1)[0] ?? '';
    if (!ENDPOINTS.some((known) => known.test(`${method} ${path}`)))
      this.#add('endpoints', `${method} ${path}`);
    for (const { headers } of answer === undefined ? [request] : [request, answer])
      for (const name of Object.keys(headers)) if (!HEADERS.has(name)) this.#add('service_parameters', name);

    const placed = operationAt(method, path);
    let answers = path.endsWith('agent-card.json') ? 'AgentCard' : (placed?.answers ?? '');
    for (const document of request.documents) {
      if (placed !== undefined) {
        this.#walk(placed.asks, document, placed.asks);
        continue;
      }
      const rpc = document as { method?: string; params?: unknown };
      const known = METHODS[rpc.method ?? ''];
      if (rpc.method !== undefined && known === undefined) this.#add('methods', rpc.method);
      if (known === undefined) continue;
      this.#walk(known.asks, rpc.params, known.asks);
      answers = known.answers;
    }
    for (const document of answer?.documents ?? []) {
      const { result, error } = document as { result?: unknown; error?: unknown };
      const isRpc = typeof document === 'object' && document !== null && 'jsonrpc' in document;
      if (error !== undefined && error !== null) this.#error(error as Json);
      else if (answers !== '') this.#walk(answers, isRpc ? result : document, answers);
    }
  }

  card(card: Json): void {
    this.#walk('AgentCard', card, 'AgentCard');
    const { extensions = [] } = card.capabilities as { extensions?: { uri: string; params?: Json }[] };
    for (const { uri, params } of extensions) {
      this.#add('extensions', uri);
      // The keys themselves are RFC 7517's.
      for (const path of paths(params ?? {}))
        if (!path.startsWith('results.jwks.')) this.#add('card_params', path);
    }
  }

  /** `required`: the members of a request without which it was refused. */
  size(required: readonly string[]): Size {
    const list = (name: keyof Size) => [...(this.#sets.get(name) ?? [])].sort();
    const results = every(this.#results);
    return {
      extensions: list('extensions'),
      methods: list('methods'),
      endpoints: list('endpoints'),
      enum_values: list('enum_values'),
      error_codes: list('error_codes'),
      core_members: list('core_members'),
      service_parameters: list('service_parameters'),
      request_required: [...required].sort(),
      request_optional: union(this.#requests).filter((name) => !required.includes(name)),
      result_required: results,
      result_optional: union(this.#results).filter((name) => !results.includes(name)),
      nested_members: list('nested_members'),
      metadata_keys: list('metadata_keys'),
      card_params: list('card_params'),
      token_claims: list('token_claims'),
      reasons: list('reasons'),
    };
  }

  #add(name: keyof Size, value: string): void {
    const set = this.#sets.get(name) ?? new Set();
    this.#sets.set(name, set.add(value));
  }

  /** An object of A2A's, or a list of them: members that it does not have, values that it does not know. */
  #walk(kind: string, value: unknown, place: string): void {
    if (Array.isArray(value)) {
      for (const item of value) this.#walk(kind, item, place);
      return;
    }
    const known = VALUES[kind];
    if (known !== undefined) {
      if (typeof value === 'string' && !known.includes(value)) this.#add('enum_values', `${place} ${value}`);
      return;
    }
    const members = MEMBERS[kind];
    if (members === undefined || typeof value !== 'object' || value === null) return;
    for (const [name, held] of Object.entries(value)) {
      const inner = members[name];
      if (inner === undefined) this.#add('core_members', `${kind}.${name}`);
      else if (inner === '*') this.#metadata(held as Json);
      else if (inner !== '') this.#walk(inner, held, inner);
    }
  }

  #metadata(metadata: Json | null): void {
    for (const [name, value] of Object.entries(metadata ?? {})) {
      const key = name.startsWith(`${EXT}/`) ? `EXT${name.slice(EXT.length)}` : name;
      this.#add('metadata_keys', key);
      if (key === REQUEST) this.#requests.push(['task', ...Object.keys(value as Json)]);
      if (key === RESULT) this.#results.push(Object.keys(value as Json));
      if (key === PAGE) {
        // The events in a page are A2A's own objects again.
        const { events = [], ...page } = value as { events?: { event?: unknown }[] };
        const shells = events.map(({ event, ...shell }) => {
          this.#walk('StreamResponse', event, 'StreamResponse');
          return { ...shell, event: null };
        });
        this.#nested(key, { ...page, events: shells });
      } else this.#nested(key, value);
    }
  }

  #nested(key: string, value: unknown): void {
    const top = key === REQUEST || key === RESULT;
    for (const path of paths(value))
      if (!top || /[.[]/.test(path)) this.#add('nested_members', `${key}.${path}`);
  }

  #error(error: Json): void {
    this.#walk('Error', error, 'Error');
    if (!ERROR_CODES.has(Number(error.code)) && !isHttpStatus(error))
      this.#add('error_codes', String(error.code));
    for (const info of [error.data ?? error.details ?? []].flat() as { metadata?: Json }[]) {
      for (const name of Object.keys(info.metadata ?? {}))
        this.#add('nested_members', `ErrorInfo.metadata.${name}`);
      const reason = info.metadata?.oabReason;
      if (reason !== undefined) this.#add('reasons', String(reason));
    }
  }
}

/** HTTP+JSON puts the status there, beside its gRPC name. */
function isHttpStatus({ code, status }: Json): boolean {
  return typeof status === 'string' && Number(code) >= 400 && Number(code) < 600;
}

/** `a`, `a.b`, `a[].c`: every member below a value. */
function paths(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => paths(item, `${at}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, held]) => {
    const path = at === '' ? name : `${at}.${name}`;
    return [path, ...paths(held, path)];
  });
}

function union(sets: readonly string[][]): string[] {
  return [...new Set(sets.flat())].sort();
}

function every(sets: readonly string[][]): string[] {
  return union(sets).filter((name) => sets.every((set) => set.includes(name)));
}
