/** The two ways in which a measurement reads both servers. */
import type { Opened } from '../measurement.js';
import type { Launch, Side } from '../side.js';

type Read = (side: Side) => Promise<number>;

/** Two servers that stay up, so that each round finds warm code. */
export async function both({ ours, stock }: Launch, read: Read): Promise<Opened> {
  const sides = [await ours(), await stock()] as const;
  const arm = (side: Side) => ({ label: side.name, read: () => read(side), usage: side.usage });
  return {
    arms: [arm(sides[0]), arm(sides[1])],
    async close() {
      for (const side of sides) await side.close();
    },
  };
}

/** A new server for each reading, where what an earlier one left in memory would count. */
export async function eachFresh({ ours, stock }: Launch, read: Read): Promise<Opened> {
  const arm = (label: Side['name'], start: () => Promise<Side>) => ({
    label,
    async read() {
      const side = await start();
      try {
        return await read(side);
      } finally {
        await side.close();
      }
    },
  });
  return { arms: [arm('ours', ours), arm('stock', stock)], close: async () => {} };
}
