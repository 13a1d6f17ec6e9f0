/** Every name that the profile puts on a wire, in one place (profile sections 1 to 4, 8). */

/** The extension URI; compared exactly, never by prefix (A2A 4.6.3). */
export const EXT = 'https://openabdev.github.io/openab/a2a/delegation/v1';

/** The A2A custom binding over WebSocket. */
export const WSS_BINDING = 'https://openabdev.github.io/openab/a2a/bindings/wss/v1';

/** Metadata keys. No other key of ours exists on the wire. */
export const KEY = {
  request: `${EXT}/request`,
  event: `${EXT}/event`,
  events: `${EXT}/events`,
  cancel: `${EXT}/cancel`,
  result: `${EXT}/result`,
  owner: `${EXT}/owner`,
} as const;

/** The one service parameter that the profile adds. */
export const CURSOR_PARAMETER = 'OAB-Cursor';
export const EXTENSIONS_PARAMETER = 'A2A-Extensions';
export const VERSION_PARAMETER = 'A2A-Version';
export const A2A_VERSION = '1.0';

/** The cursor before the first event. */
export const CURSOR_START = '0';

/** The bindings that can be a cell of the gate, in the order in which the verdict walks them. */
export const BINDINGS = ['JSONRPC', 'HTTP+JSON', 'WSS', 'OAB'] as const;
export type BindingName = (typeof BINDINGS)[number];
