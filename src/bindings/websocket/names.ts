/** What the protocols in WebSocket text frames have in common: control frames, bounds, closes (profile sections 8 and 9). */

export const STREAM_END = '$/streamEnd';
export const CREDIT = '$/credit';
export const CANCEL_STREAM = '$/cancelStream';

/** Items that may be sent on a stream before the reader has asked for more. */
export const FIRST_CREDITS = 64;
export const MAX_CREDITS = 2 ** 31 - 1;
export const MAX_OPEN_IDS = 256;

/** Close codes: RFC 6455 7.4.1, and ours. */
export const CLOSE = { policy: 1008, tooBig: 1009, unauthenticated: 4401, draining: 4503 } as const;
