/** What an HTTP request says in service parameters: version, extensions, cursor (A2A 3.2.6; profile section 2). */
import type { IncomingMessage } from 'node:http';
import { activates } from '../../profile/card.js';
import { ProfileError } from '../../profile/errors.js';
import { CURSOR_PARAMETER, EXTENSIONS_PARAMETER, VERSION_PARAMETER } from '../../profile/names.js';

const MAX_CURSOR = 256;

/** Throws VERSION_NOT_SUPPORTED; an absent version means 0.3 (A2A 3.6), which is not spoken here. */
export function checkVersion(request: IncomingMessage): void {
  const asked = header(request, VERSION_PARAMETER) ?? queryOf(request).get(VERSION_PARAMETER);
  // Patch numbers do not matter (A2A 3.6).
  if (asked === undefined || asked === null || !/^1\.0(\.\d+)?$/.test(asked.trim())) {
    throw new ProfileError('VERSION_NOT_SUPPORTED', asked?.slice(0, 32));
  }
}

/** Of whatever stands behind the path; never throws. */
export function queryOf({ url = '/' }: IncomingMessage): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}

/** Throws NOT_NEGOTIATED unless the request activates the profile; on every operation, before any state change. */
export function checkNegotiated(request: IncomingMessage): void {
  if (!activates(header(request, EXTENSIONS_PARAMETER))) throw new ProfileError('NOT_NEGOTIATED');
}

/** The cursor, if one was sent; what cannot be one is refused where the task is resolved. */
export function cursorOf(request: IncomingMessage): string | undefined {
  return header(request, CURSOR_PARAMETER)?.slice(0, MAX_CURSOR + 1);
}

/** Repeated lines of a list header are joined with a comma (RFC 9110 section 5.3). */
function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(',') : value;
}
