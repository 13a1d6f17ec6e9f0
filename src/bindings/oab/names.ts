/** The names that are the custom OAB protocol's own (docs/bindings/oab.md). */

/** Of the WebSocket; exact. */
export const SUBPROTOCOL = 'oab.delegation.v1';

export const VERBS = ['describe', 'create', 'get', 'events', 'cancel'] as const;
export type Verb = (typeof VERBS)[number];
