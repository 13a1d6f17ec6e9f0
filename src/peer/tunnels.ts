/** The executor's tunnels, one to each configured relay. */
import type { Duplex } from 'node:stream';
import type { openTunnel } from '../relay/tunnel-client.js';
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

export function openTunnels(
  { relays, tunnels: settings, config }: ExecutorSettings,
  onConnection: (connection: Duplex) => void,
  log: Log,
  open: typeof openTunnel,
): Tunnels {
  const tunnels = relays.map((relay) =>
    open({
      target: { ...relayTarget(config.peer, relay), route: relay.route },
      ...settings,
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
