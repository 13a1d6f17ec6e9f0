/** Frames of the binding as its server reads and writes them. */
import type { IncomingMessage } from 'node:http';
import { toJsonRpcError } from '@a2a-js/sdk/errors';
import { ProfileError } from '../../profile/errors.js';
import { StrictJsonError } from '../../profile/strict-json.js';
import { internalError, toA2AError } from '../a2a/errors.js';
import { type checkNegotiated, checkVersion, cursorOf } from '../http/negotiation.js';
import { METHODS } from '../jsonrpc/envelope.js';
import {
  type Control,
  type Fault,
  FrameFault,
  invalidFrame,
  isUnknownMember,
  notStrictJson,
  readControl,
  readObject,
} from '../websocket/frames.js';
import { type Id, idSchema } from '../websocket/shapes.js';
import { AUTHORIZATION, CHALLENGE, ECHO } from './names.js';
import { parameterValue, requestFrame, serviceParameters } from './shapes.js';

export interface MethodCall {
  id: Id;
  method: string;
  params: Record<string, unknown>;
  cursor: string | undefined;
}

type Read = { kind: 'call'; call: MethodCall; token: string | undefined } | Control | Fault;

/** `negotiated` throws NOT_NEGOTIATED. Never throws: the profile answers who authenticates, then version, then negotiation first. */
export function readFrame(text: string, negotiated: typeof checkNegotiated): Read {
  let raw: Record<string, unknown>;
  try {
    raw = readObject(text);
  } catch (error) {
    if (error instanceof FrameFault) return { kind: 'fault', id: null, token: undefined, fault: error };
    if (!(error instanceof StrictJsonError)) throw error;
    const fault =
      error.message === 'not JSON'
        ? notStrictJson(error)
        : ProfileError.violating('MALFORMED', error.message);
    return { kind: 'fault', id: null, token: undefined, fault };
  }
  const control = readControl(raw);
  if (control !== undefined) return control;
  const id = idSchema.safeParse(raw.id).data ?? null;
  const parameters = serviceParameters.safeParse(raw.serviceParameters ?? {}).data;
  const request = asRequest(parameters ?? {});
  const token = tokenIn(raw.serviceParameters);
  const no = (fault: Fault['fault'], first = false): Fault => ({ kind: 'fault', id, token, fault, first });
  if (parameters === undefined) return no(new ProfileError('MALFORMED', 'serviceParameters'), true);
  if (id === null) return no(invalidFrame());
  try {
    checkVersion(request);
    negotiated(request);
  } catch (error) {
    if (error instanceof ProfileError) return no(error, true);
    throw error;
  }
  const frame = requestFrame.safeParse(raw);
  if (!frame.success) {
    if (isUnknownMember(frame.error)) return no(new ProfileError('UNKNOWN_MEMBER'));
    return no('params' in raw && typeof raw.method === 'string' ? malformed(frame.error) : invalidFrame());
  }
  const { method, params = {} } = frame.data;
  if (!METHODS.has(method)) return no(new FrameFault(-32601, 'METHOD_NOT_FOUND', 'There is no such method.'));
  return { kind: 'call', token, call: { id, method, params, cursor: cursorOf(request) } };
}

function malformed({ issues }: { issues: { path: PropertyKey[] }[] }): FrameFault | ProfileError {
  const [at] = issues[0]?.path ?? [];
  return at === 'params' ? new ProfileError('MALFORMED', 'params') : invalidFrame();
}

/** Whatever is wrong with the rest. */
function tokenIn(parameters: unknown): string | undefined {
  const found = Object.entries(parameters ?? {}).find(
    ([name]) => name.toLowerCase() === AUTHORIZATION.toLowerCase(),
  )?.[1];
  const known = parameterValue.safeParse(found);
  return known.success ? known.data.replace(/^Bearer +/i, '') : undefined;
}

/** Service parameters as the headers that they are on HTTP: one reading of them serves all A2A bindings. */
function asRequest(parameters: Record<string, string>): IncomingMessage {
  const lower = Object.entries(parameters).map(([name, value]) => [name.toLowerCase(), value]);
  return { url: '/', headers: Object.fromEntries(lower) } as IncomingMessage;
}

export function errorText(id: Id | null, error: unknown): string {
  if (error instanceof FrameFault) {
    const { code, message } = error;
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message }, serviceParameters: ECHO });
  }
  const known = error instanceof ProfileError ? toA2AError(error) : internalError();
  const said = saidWith(error);
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: toJsonRpcError(known),
    ...(said === undefined ? {} : { serviceParameters: said }),
  });
}

/** Only what was activated is echoed (A2A 3.6.2); who did not authenticate is told how to. */
function saidWith(error: unknown): Record<string, string> | undefined {
  const reason = error instanceof ProfileError ? error.reason : undefined;
  if (reason === 'UNAUTHENTICATED') return { [CHALLENGE]: AUTH_SCHEME };
  return reason === 'NOT_NEGOTIATED' || reason === 'VERSION_NOT_SUPPORTED' ? undefined : ECHO;
}

const AUTH_SCHEME = 'Bearer';

/** The members of a request's frame, as a client sends them. */
export function requestMembers(
  method: string,
  params: unknown,
  parameters: Record<string, string>,
  token: string | undefined,
) {
  const authorization = token === undefined ? {} : { [AUTHORIZATION]: `${AUTH_SCHEME} ${token}` };
  return { method, params, serviceParameters: { ...parameters, ...authorization } };
}
