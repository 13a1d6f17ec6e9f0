/** What a relay is configured with, as plain values. */
import type { Liveness } from './liveness.js';
import type { RelayPeer } from './policy.js';

export interface RelayConfig {
  /** This relay's id; tokens for it have the audience `relay:<id>`. */
  relay: string;
  executors: readonly RelayPeer[];
  coordinators: readonly RelayPeer[];
  limits: {
    tunnels: number;
    /** Connections through one tunnel. */
    streams: number;
    /** Bytes that one stalled connection may hold in memory, per direction. */
    bufferBytes: number;
  };
  liveness: Liveness;
  /** How long a client may be silent before its request is there, ms; 10 s each by default. */
  timeouts?: { headersTimeout: number; handshakeTimeout: number };
  skewMs: number;
}
