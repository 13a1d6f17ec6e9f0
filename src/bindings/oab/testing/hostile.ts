/** The OAB client towards a server that says exactly what a test says. */
import { hostileServers as open } from '../../websocket/testing/hostile.js';
import { connectOab, type OabClientOptions } from '../client.js';
import { item, openRawServer, TASK } from './raw-server.js';

export { signal } from '../../websocket/testing/hostile.js';

export function hostileServers() {
  const servers = open({
    open: openRawServer,
    connect: (options: Omit<OabClientOptions, 'peer'>) => connectOab({ peer: 'oab-b', ...options }),
    observe: { method: 'events' },
    task: TASK,
  });
  return { ...servers, items: (...sequences: number[]) => sequences.map((sequence) => item(sequence)) };
}
