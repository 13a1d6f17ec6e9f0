/** A probe whose calls and answers go into its subject's history on their way; it changes nothing of either. */

import type { Canaries } from '../../checkers/canaries.js';
import { type Report, reading } from '../../checkers/finding.js';
import type { Asked } from '../../checkers/results.js';
import { streamOrder } from '../../checkers/stream-order.js';
import type { SubjectHistory } from '../../checkers/subject-history.js';
import type { Address } from '../../lab/ports.js';
import type { CallOptions, Json, Probe, ProbeAnswer, Session } from '../../wire/probe.js';
import { requestIn, type WireRequest, wireDigest } from '../../wire/request.js';
import type { Exchanges } from './exchanges.js';

interface Into {
  history: SubjectHistory;
  report: Report;
  canaries: Canaries;
  /** Streams under way: each adds how it is read, and takes it out when it has been. */
  open: Set<() => void>;
  exchanges: Exchanges;
  /** Whether what comes from this address is the subject's own word. */
  attributed(via: Address | undefined): boolean;
}

/** The bound that probes put into a token when a case names none. */
const USUAL_CAP = ['repo:read'];

export function recordedProbe(probe: Probe, into: Into): Probe {
  const { history } = into;
  const { events, list } = probe;
  let calls = 0;
  const named = (what: string) => {
    calls += 1;
    return `${what} ${calls} by ${probe.peer} (${probe.binding})`;
  };

  /** Waits for an answer and takes it; `floor` is taken now, before it was asked for. */
  const answered = async (
    what: string,
    options: CallOptions,
    call: Promise<ProbeAnswer>,
    more: { taskId?: string | undefined; asked?: Asked | undefined; sent?: string } = {},
  ): Promise<ProbeAnswer> => {
    const session = named(what);
    const floor = history.floor(more.taskId);
    const answer = await call;
    const { sent } = more;
    into.exchanges.add({
      session,
      status: String(answer.status),
      received: answer.text,
      ...(sent && { sent }),
    });
    if (!into.attributed(options.via)) return answer;
    history.received([principal(probe, options)], session, answer.text);
    reading(into.report, session, () => {
      for (const task of tasksIn(answer.result)) {
        if (more.asked !== undefined) history.created(more.asked, task, performance.now());
        // A list has many tasks, and a floor is one task's.
        history.task(session, task, task.id === more.taskId ? floor : 0);
        if (options.cursor !== undefined) history.page(session, task, options.cursor);
      }
    });
    return answer;
  };

  const streamed = (
    what: string,
    options: CallOptions,
    session: Session,
    more: { taskId?: string | undefined; asked?: Asked } = {},
  ): Session => {
    if (!into.attributed(options.via)) return session;
    const name = named(what);
    const principals = [principal(probe, options)];
    const from = options.cursor === undefined ? undefined : history.positionOf(more.taskId, options.cursor);
    const take = streamOrder(history, into.report, name, { floor: history.floor(more.taskId), from });
    const read = () => {
      into.open.delete(read);
      const received = session.frames.map(({ json }) => JSON.stringify(json)).join('\n');
      into.exchanges.add({ session: name, status: `${session.frames.length} frames`, received });
      for (const { json, sequence, cursor, kind } of session.frames) {
        history.received(principals, name, JSON.stringify(json));
        reading(into.report, name, () => {
          if (kind === 'task' && more.asked !== undefined)
            history.created(more.asked, json.task as Json, performance.now());
          take({ json, sequence, cursor });
        });
      }
    };
    into.open.add(read);
    // Read once it has ended, and forgotten: what a case leaves open is read at its end.
    void session.ended.then(() => into.open.has(read) && read());
    void session.refusal.then((answer) => answer && history.received(principals, name, answer.text));
    return session;
  };

  const sends = (request: WireRequest, options: CallOptions & { message?: Json }): Asked | undefined => {
    const who = principal(probe, options);
    into.canaries.sent(who, JSON.stringify(options.message ?? request));
    const known = options.message === undefined ? request : requestIn(options.message);
    if (known !== undefined) history.sent(who, String(known.request_id), String(known.task));
    return asked(who, known, options);
  };

  return {
    ...probe,
    create(request, options = {}) {
      const known = sends(request, options);
      const taskId = known && history.taskOf(known.caller, known.requestId);
      return answered('create', options, probe.create(request, options), {
        taskId,
        asked: known,
        sent: JSON.stringify(options.message ?? request),
      });
    },
    createStreaming(request, options = {}) {
      const known = sends(request, options);
      const taskId = known && history.taskOf(known.caller, known.requestId);
      const session = probe.createStreaming(request, options);
      return streamed('streaming create', options, session, { taskId, ...(known && { asked: known }) });
    },
    get: (taskId, options = {}) => answered('get', options, probe.get(taskId, options), { taskId }),
    ...(list !== undefined && {
      list: (options: CallOptions & { query?: Json } = {}) => answered('list', options, list(options)),
    }),
    cancel: (taskId, options = {}) => answered('cancel', options, probe.cancel(taskId, options), { taskId }),
    subscribe: (taskId, options = {}) =>
      streamed('subscribe', options, probe.subscribe(taskId, options), { taskId }),
    ...(events !== undefined && {
      events: (taskId: string, cursor: string, options: CallOptions = {}) =>
        streamed('events', { ...options, cursor }, events(taskId, cursor, options), { taskId }),
    }),
    operations: (taskId, request) =>
      probe.operations(taskId, request).map(({ name, unauthenticated, call }) => ({
        name,
        unauthenticated,
        call(options) {
          const creates = /^(create|Send(Streaming)?Message)$/.test(name);
          const known = creates ? sends(request, options) : undefined;
          return answered(name, options, call(options), { asked: known });
        },
      })),
  };
}

/** Who asks, as far as the subject can know: without a token it is nobody. */
function principal(probe: Probe, { token }: CallOptions): string {
  return token === null ? 'nobody' : probe.peer;
}

function asked(caller: string, request: WireRequest | undefined, options: CallOptions): Asked | undefined {
  if (request === undefined || typeof request.request_id !== 'string') return undefined;
  if (!Array.isArray(request.capabilities)) return undefined;
  const bent = options.token !== undefined || options.abuse !== undefined;
  return {
    caller,
    requestId: request.request_id,
    digest: digestOf(request),
    capabilities: request.capabilities,
    cap: bent ? undefined : (options.cap ?? USUAL_CAP),
  };
}

/** None for what is no JSON: a case may try anything. */
function digestOf(request: WireRequest): string | undefined {
  try {
    return wireDigest(request);
  } catch {
    return undefined;
  }
}

/** The Tasks of an answer: the Task itself, or those of a list. */
function tasksIn(result: Json | undefined): Json[] {
  if (result === undefined) return [];
  if (Array.isArray(result.tasks)) return result.tasks as Json[];
  return typeof result.id === 'string' && typeof result.status === 'object' ? [result] : [];
}
