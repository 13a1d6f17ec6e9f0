/** The bindings that the peers of this version speak. */
export const SPOKEN = ['JSONRPC', 'HTTP+JSON', 'WSS', 'OAB'] as const;
export type SpokenBinding = (typeof SPOKEN)[number];
