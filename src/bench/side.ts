/** The two servers that most measurements compare, and the ways to one of them that the relay's compare. */
import { type Requests, stockRequests } from './client/requests.js';
import { executorFiles } from './executor-files.js';
import { scratch } from './scratch.js';
import { type ServerProcess, startServer } from './server-process.js';
import { openWays, type WayName, type Ways } from './ways/ways.js';

export interface Side extends Omit<ServerProcess, 'pid'> {
  name: 'ours' | 'stock';
  requests: Requests;
}

/** Starts servers. */
export interface Launch {
  ours(): Promise<Side>;
  stock(): Promise<Side>;
  /** The executor behind TLS, and what stands between it and the client on these ways. */
  ways(names?: readonly WayName[]): Promise<Ways>;
}

/** `flags` are Node's, for a profiler. */
export function launcher(flags: readonly string[]): Launch {
  return {
    ours: () => startOurs(flags),
    stock: async () => ({
      ...(await startServer('stock', [], flags)),
      name: 'stock',
      requests: stockRequests,
    }),
    ways: (names) => openWays(flags, names),
  };
}

/** The reference executor over a journal in a new folder of the system's temporary one. */
async function startOurs(flags: readonly string[]): Promise<Side> {
  const { folder, remove } = scratch();
  const { file, requests } = executorFiles(folder, {
    listen: { address: '127.0.0.1:0' },
    public_url: 'http://127.0.0.1/',
    insecure_loopback: true,
  });
  const server = await startServer('ours', [file], flags);
  return {
    ...server,
    name: 'ours',
    requests,
    async close() {
      await server.close();
      remove();
    },
  };
}
