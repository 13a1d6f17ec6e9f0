/** Memory of what only stands there: connections by the four ways, and tunnels of executors at the relay. */
import type { Duplex } from 'node:stream';
import { openTunnel, type TunnelClient } from '../../relay/tunnel-client.js';
import { silentLog } from '../../telemetry/log.js';
import { Connection } from '../client/connection.js';
import type { Measurement } from '../measurement.js';
import { SPARE } from '../ways/dial.js';
import { residentBytes } from '../ways/process-usage.js';
import type { Way, Ways } from '../ways/ways.js';
import { once, onFreshWays } from './ways.js';

const WARM_UP = 50;
const CONNECTIONS = 300;
/** Each reading starts processes of its own. */
const MOST_ROUNDS = 3;
const TUNNELS = SPARE.length - WARM_UP;
const TUNNEL = {
  reconnect: { floorMs: 100, ceilingMs: 5000 },
  liveness: { pingMs: 15_000, pongMs: 10_000 },
  streamWindow: 1024 * 1024,
  maxStreams: 1000,
};

export const relayIdleStream: Measurement = {
  name: 'relay-idle-stream',
  title: 'memory of an idle connection, all processes',
  unit: 'KiB',
  note: `resident, of the executor and what stands between, over ${CONNECTIONS} connections that have each been answered once`,
  aims: [],
  mostRounds: MOST_ROUNDS,
  open: (launch) =>
    onFreshWays(launch, ['relayed', 'nginx stream', 'direct', 'nginx http'], (way, ways) =>
      perConnection(way, ways, way.pids),
    ),
};

export const relayIdleBetween: Measurement = {
  name: 'relay-idle-between',
  title: 'memory of what is idle, in between',
  unit: 'KiB',
  note: `resident, of the relay or nginx alone: per connection as above; \`tunnel\` is the relay's per executor, over ${TUNNELS} tunnels without a connection`,
  aims: [],
  mostRounds: MOST_ROUNDS,
  open: async (launch) =>
    onFreshWays(
      launch,
      ['relayed', 'nginx stream', 'nginx http'],
      (way, ways) => perConnection(way, ways, way.pids.slice(1)),
      [{ label: 'tunnel', read: () => once(launch, 'relayed', (_, ways) => perTunnel(ways)) }],
    ),
};

async function perConnection(way: Way, ways: Ways, pids: readonly number[]): Promise<number> {
  const request = ways.requests.get('none');
  const open = async (count: number) => {
    const sockets: Duplex[] = [];
    for (let left = count; left > 0; left -= 1) {
      const socket = await way.dial();
      await new Connection(socket).exchange(request);
      sockets.push(socket);
    }
    return sockets;
  };
  return growth(ways, pids, open, CONNECTIONS, (socket) => socket.destroy());
}

async function perTunnel(ways: Ways): Promise<number> {
  const { spare } = ways;
  if (spare === undefined) throw new Error('no relay');
  let used = 0;
  const open = async (count: number) => {
    const tunnels = SPARE.slice(used, used + count).map(({ peer, route }) =>
      openTunnel({
        ...TUNNEL,
        target: { ...spare.target(peer), route },
        onConnection: (connection) => connection.destroy(),
        log: silentLog,
        random: Math.random,
      }),
    );
    used += count;
    for (const tunnel of tunnels) await tunnel.up;
    return tunnels;
  };
  return growth(ways, [spare.pid], open, TUNNELS, (tunnel: TunnelClient) => void tunnel.close(0));
}

/** KiB per opened thing, after some that are not counted. */
async function growth<T>(
  ways: Ways,
  pids: readonly number[],
  open: (count: number) => Promise<T[]>,
  count: number,
  close: (one: T) => void,
): Promise<number> {
  const first = await open(WARM_UP);
  const before = await held(ways, pids);
  const opened = await open(count);
  const bytes = (await held(ways, pids)) - before;
  for (const one of [...first, ...opened]) close(one);
  return bytes / count / 1024;
}

/** Resident bytes after a collection of garbage, where there is any. */
async function held({ collect }: Ways, pids: readonly number[]): Promise<number> {
  await collect();
  return pids.reduce((sum, pid) => sum + residentBytes(pid), 0);
}
