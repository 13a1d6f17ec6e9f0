/** WebSocket subprotocols of the relay (RFC 6455 section 1.9), and the longest message of either. */

/** An executor's tunnel: HTTP/2 inside, as a multiplexer. */
export const TUNNEL_PROTOCOL = 'oab.tunnel.v1';
/**
 * One coordinator's connection, where a balancer would not pass CONNECT: raw bytes inside. An empty message says that
 * its sender is done, as a FIN does; the other direction goes on.
 */
export const CONNECT_PROTOCOL = 'oab.connect.v1';
/** Header of a tunnel's upgrade: drawn by each process for each of its relays, so that its own next tunnel is told from a rival's. */
export const INSTANCE = 'oab-tunnel-instance';
/** What the GOAWAY of a tunnel says whose route a newer one has (RFC 9113 section 6.8, additional debug data). */
export const REPLACED = Buffer.from('replaced by a newer tunnel');
/** Bytes. */
export const MAX_MESSAGE = 1024 * 1024;
