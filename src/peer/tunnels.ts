/** The executor's tunnels, one to each configured relay. */
import type { Duplex } from 'node:stream';
import { openTunnel } from '../relay/tunnel-client.js';
import type { Log } from '../telemetry/log.js';
import type { ExecutorSettings } from './config/executor-file.js';
import { relayTarget } from './relay-credentials.js';

export interface Tunnels {
  /** Resolves when one of them is up: from then on somebody can reach us. */
  up: Promise<void>;
  close(graceMs: number): Promise<void>;
}

const STREAM_WINDOW = 1024 * 1024;
const MAX_STREAMS = 1000;
/** Asked as often as a stream beats, at the most each 15 s; a host that is busy for a moment is not a dead relay. */
const PING_MS = 15_000;
const PONG_MS = 5000;
const RECONNECT = { floorMs: 100, ceilingMs: 5000 };

export function openTunnels(
  { relays, config }: ExecutorSettings,
  onConnection: (connection: Duplex) => void,
  log: Log,
): Tunnels {
  const tunnels = relays.map((relay) =>
    openTunnel({
      target: { ...relayTarget(config.peer, relay), route: relay.route },
      reconnect: RECONNECT,
      liveness: { pingMs: Math.min(PING_MS, config.heartbeatMs), pongMs: PONG_MS },
      streamWindow: STREAM_WINDOW,
      maxStreams: MAX_STREAMS,
      onConnection,
      log,
      random: Math.random,
    }),
  );
  return {
    up: Promise.race(tunnels.map(({ up }) => up)),
    close: async (graceMs) => void (await Promise.all(tunnels.map((tunnel) => tunnel.close(graceMs)))),
  };
}
