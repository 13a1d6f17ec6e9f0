/** The way to an executor through the first of its relays that gives one; the one that did is asked first the next time. */
import type { Duplex } from 'node:stream';
import { connectThrough } from '../relay/through-relay.js';
import type { PeerSettings } from './config/coordinator-file.js';
import { relayTarget } from './relay-credentials.js';

const CONNECT_MS = 5000;

/** Rejects, when no relay gives a way, with what the last one said: a transport error, from which no outcome follows. */
export function throughRelays(
  peer: string,
  relays: PeerSettings['relays'],
): (authority: string) => Promise<Duplex> {
  const targets = relays.map((relay) => ({ ...relayTarget(peer, relay), transport: relay.transport }));
  let first = 0;
  return async (authority) => {
    const failed: string[] = [];
    for (let turn = 0; turn < targets.length; turn += 1) {
      const at = (first + turn) % targets.length;
      const target = targets[at];
      if (target === undefined) continue;
      try {
        const way = await connectThrough(target, authority, CONNECT_MS);
        first = at;
        return way;
      } catch (error) {
        failed.push(`${target.url}: ${(error as Error).message}`);
      }
    }
    throw new Error(`no relay leads to ${authority}: ${failed.join('; ')}`);
  };
}
