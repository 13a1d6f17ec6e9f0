/** Proves a fault before anything rests on it: armed, seen to take, cleared, seen to be gone. */
import { openLink } from '../lab/link.js';
import type { FaultKind } from './fault.js';
import type { Injector } from './injector.js';
import { probe } from './probe.js';

/** On a link of its own in front of an echo peer. Returns what is wrong with it in one sentence, undefined when nothing is. */
export async function selfTest(kind: FaultKind, injector: Injector): Promise<string | undefined> {
  const link = await openLink(`self-test-${kind.name}`, injector.echo, async () => injector);
  const fault = kind.create();
  try {
    await fault.arm(link, kind.example);
    // A cut on a tap falls on a connection; what a toxic does is seen on its witness.
    if (kind.by === 'tap') await probe(link.address, { send: 100, ms: 200, end: true });
    if (!(await fault.verify())) return `${kind.name} was armed, but is not seen to take`;
    await fault.clear();
    if (!(await fault.gone())) return `${kind.name} was cleared, but is not seen to be gone`;
    return undefined;
  } catch (error) {
    return `${kind.name}: ${(error as Error).message}`;
  } finally {
    await link.close();
  }
}

/** All of them at once: they share nothing but the server. */
export async function selfTests(kinds: readonly FaultKind[], injector: Injector): Promise<string[]> {
  const found = await Promise.all(kinds.map((kind) => selfTest(kind, injector)));
  return found.filter((one) => one !== undefined);
}
