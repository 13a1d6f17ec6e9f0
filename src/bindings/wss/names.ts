/** The names of the A2A binding over WebSocket (profile section 8; docs/bindings/wss.md). */
import { EXT, EXTENSIONS_PARAMETER } from '../../profile/names.js';

/** Of the WebSocket; exact. The binding's URI is WSS_BINDING. */
export const SUBPROTOCOL = 'oab.a2a.v1';

export const AUTHORIZATION = 'Authorization';
export const CHALLENGE = 'WWW-Authenticate';

/** What an answer says when the profile was activated by its request. */
export const ECHO = { [EXTENSIONS_PARAMETER]: EXT };

/** More than one request ever needs. */
export const MAX_PARAMETERS = 32;
export const MAX_PARAMETER = 8192;
