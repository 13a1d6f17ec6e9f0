/** How the measurements of the relay read the four ways to one executor. */
import type { Arm, Opened } from '../measurement.js';
import type { Launch } from '../side.js';
import type { Way, WayName, Ways } from '../ways/ways.js';

/** One set of processes for all readings; `read` is called for one way after the other. */
export async function onWays(
  launch: Launch,
  read: (way: Way, ways: Ways) => Promise<number>,
): Promise<Opened> {
  const ways = await launch.ways();
  const arms = ways.ways.map((way): Arm => {
    const usage = async () => ({ cpuBefore: way.cpu(), cpuAfter: way.cpu() });
    return { label: way.name, read: () => read(way, ways), usage };
  });
  return { arms: atLeastTwo(arms), missing: ways.missing, close: ways.close };
}

/** New processes for each reading, the way's own alone: memory that was held once is not given back. */
export async function onFreshWays(
  launch: Launch,
  names: readonly WayName[],
  read: (way: Way, ways: Ways) => Promise<number>,
  more: readonly Arm[] = [],
): Promise<Opened> {
  const probed = await launch.ways(names);
  await probed.close();
  const arms = probed.ways.map(({ name }): Arm => ({ label: name, read: () => once(launch, name, read) }));
  return { arms: atLeastTwo([...arms, ...more]), missing: probed.missing, close: async () => {} };
}

export async function once(
  launch: Launch,
  name: WayName,
  read: (way: Way, ways: Ways) => Promise<number>,
): Promise<number> {
  const ways = await launch.ways([name]);
  try {
    const way = ways.ways[0];
    if (way === undefined) throw new Error(ways.missing.map(({ why }) => why).join('; '));
    return await read(way, ways);
  } finally {
    await ways.close();
  }
}

function atLeastTwo(arms: Arm[]): Opened['arms'] {
  const [first, second, ...more] = arms;
  if (first === undefined || second === undefined) throw new Error('nothing to compare with');
  return [first, second, ...more];
}
