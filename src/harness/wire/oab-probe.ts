/**
 * The OAB probe: raw frames, a connection per call. Suites are written once for all bindings, so that it answers in their
 * form: a subscribe is `get` and then `events` from that place, a page what `events` sends up to it.
 */
import { isTerminal } from '../../profile/lifecycle.js';
import { KEY } from '../../profile/names.js';
import type { Address } from '../lab/ports.js';
import { AT_UPGRADE, BEHIND_REQUEST, frameCall, frameDialler, frameTokens } from './frame-call.js';
import { WireEnd } from './http.js';
import type { Identity } from './identity.js';
import { answerOfFrame } from './oab-frames.js';
import { type Begin, type OabStream, openOabStream, placeOfTask, stateOfTask } from './oab-stream.js';
import { type CallOptions, DEADLINE, type Json, type Probe, type ProbeAnswer, UPGRADE } from './probe.js';
import type { Reach } from './reach.js';
import { requestIn, type WireRequest, wireDigest } from './request.js';

const SUBPROTOCOL = 'oab.delegation.v1';

interface Ask {
  method: string;
  params: Json;
  /** The digest that the token is bound to. */
  req?: string;
  answers?: 'task';
  /** The options' token is the upgrade's, and the request's own is good. */
  atUpgrade?: boolean;
}

export function oabProbe(identity: Identity, url: string, address: () => Address, reach: Reach): Probe {
  const dial = frameDialler({ identity, url, address, reach, subprotocol: SUBPROTOCOL });
  const frameWith =
    (token: string | null) =>
    (id: number, method: string, params: unknown): Json => ({
      jsonrpc: '2.0',
      id,
      method,
      params,
      ...(token === null ? {} : { token }),
    });

  const call = async (options: CallOptions, ask: Ask): Promise<ProbeAnswer> => {
    const { opening, own } = await frameTokens({ identity }, options, ask);
    return frameCall(
      (events) => dial(opening, options, events),
      frameWith(own)(1, ask.method, ask.params),
      (text) => answerOfFrame(text, ask.answers),
      options.deadlineMs,
    );
  };

  const stream = (options: CallOptions, begin: Begin, req?: string): OabStream => {
    const ready = frameTokens({ identity }, options, { req });
    let token: string | null = null;
    return openOabStream(
      {
        async dial(events) {
          const { opening, own } = await ready;
          token = own;
          return dial(opening, options, events);
        },
        frame: (id, method, params) => frameWith(token)(id, method, params),
        credit: options.credit ?? true,
      },
      begin,
    );
  };

  /** The task, and beside it every event from behind the cursor up to its place. */
  const page = async (taskId: string, cursor: string, options: CallOptions): Promise<ProbeAnswer> => {
    const { session, task: asked } = stream(options, { taskId, cursor, beside: true });
    const within = options.deadlineMs ?? DEADLINE;
    const answer = await Promise.race([
      asked,
      session.ended.then((how) => (how === 'fin' ? asked : undefined)),
    ]);
    const task = answer?.result;
    // An unknown task is refused to both verbs; what the stream is told is the answer.
    if (answer === undefined || task === undefined)
      return (await session.refusal) ?? answer ?? cut('a connection without an answer');
    const at = placeOfTask(task);
    const over = isTerminal(stateOfTask(task));
    const enough = () => cursor === at.cursor || (session.frames.at(-1)?.sequence ?? 0) >= at.sequence;
    if (over) await Promise.race([session.until(() => false, within).catch(() => {}), session.ended]);
    else if (!enough()) await session.until(enough, within).catch(() => {});
    const end = await Promise.race([session.ended, Promise.resolve(undefined)]);
    session.close();
    if (end === 'refused') return (await session.refusal) as ProbeAnswer;
    const events = session.frames.flatMap(({ json, sequence, cursor: own }) =>
      sequence !== undefined && sequence <= at.sequence ? [{ sequence, cursor: own, event: json }] : [],
    );
    const whole = events.length === 0 ? over || enough() : events.at(-1)?.sequence === at.sequence;
    const [strange] = session.strange();
    if (strange !== undefined)
      return { ...answer, error: { code: 0, reason: strange }, result: undefined as never };
    if (!whole || (over && end !== 'fin')) return cut('events that do not reach the place of their task');
    const gap = session.frames.find(({ json }) => 'floor' in json)?.json;
    const found = { events, next: '', complete: gap === undefined, ...(gap && { floor: gap.floor }) };
    return { ...answer, result: { ...task, metadata: { ...(task.metadata as Json), [KEY.events]: found } } };
  };

  const creates = (request: WireRequest) => ({ params: { request }, req: wireDigest(request) });
  return {
    binding: 'OAB',
    peer: identity.peer,
    create(request, options = {}) {
      const asked = options.message === undefined ? request : requestIn(options.message);
      const params = { ...options.params, request: asked ?? options.message };
      return call(options, { method: 'create', params, req: wireDigest(request), answers: 'task' });
    },
    createStreaming(request, options = {}) {
      const { params, req } = creates(request);
      return stream(options, { lead: { method: 'create', params } }, req).session;
    },
    get: (id, options = {}) =>
      options.cursor === undefined
        ? call(options, { method: 'get', params: { task_id: id }, answers: 'task' })
        : page(id, options.cursor, options),
    cancel: (id, options = {}) =>
      call(options, { method: 'cancel', params: { task_id: id }, answers: 'task' }),
    subscribe: (id, options = {}) =>
      stream(options, { lead: { method: 'get', params: { task_id: id } } }).session,
    events: (id, cursor, options = {}) => stream(options, { taskId: id, cursor }).session,
    async card() {
      return (await call({}, { method: 'describe', params: {} })).result ?? {};
    },
    operations(taskId, request) {
      const verbs: [string, Omit<Ask, 'method'>][] = [
        ['describe', { params: {} }],
        ['create', creates(request)],
        ['get', { params: { task_id: taskId } }],
        ['events', { params: { task_id: taskId, cursor: '0' } }],
        ['cancel', { params: { task_id: taskId } }],
      ];
      return [
        ...verbs.map(([method, ask]) => ({
          name: method,
          unauthenticated: BEHIND_REQUEST,
          call: (options: CallOptions) => call(options, { ...ask, method }),
        })),
        {
          name: UPGRADE,
          unauthenticated: AT_UPGRADE,
          call: (options: CallOptions) => call(options, { method: 'describe', params: {}, atUpgrade: true }),
        },
      ];
    },
  };
}

function cut(why: string): never {
  throw new WireEnd('cut', why);
}
