import assert from 'node:assert/strict';
import { createTask } from './client/create.js';
import { idIn, speakers } from './client/speakers.js';
import { EventStream } from './client/stream.js';
import { launcher } from './side.js';

describe('the two servers of the benchmark', () => {
  for (const name of ['ours', 'stock'] as const) {
    it(`${name}: plays a plan on a stream, and a held one when it is told`, async () => {
      const side = await launcher([])[name]();
      try {
        const streamed = EventStream.open(
          side.port,
          side.requests.stream({ say: 'status', count: 7, bytes: 9 }),
        );
        await streamed.ended(7 + 3);
        assert.equal(streamed.events, 7 + 3);

        const taskId = await createTask(side, { say: 'chunk', count: 0, bytes: 9, held: 'h' });
        const watched = EventStream.open(side.port, side.requests.subscribe(taskId));
        await watched.reached(1);
        await side.go('h', 40);
        await watched.reached(41);
        await side.go('h', 0);
        await watched.ended(42);
        await side.ended(2);
        if (name === 'ours')
          for (const speaker of speakers(side)) {
            const asking = await speaker.open();
            const made = idIn(await asking.ask(speaker.create({ say: 'status', count: 3, bytes: 9 })));
            assert.equal(idIn(await asking.ask(speaker.get(made, '0'))), made, speaker.label);
            asking.close();
            await speaker.prepare({ say: 'status', count: 3, bytes: 9 })(3 + 3);
            await speaker.replay?.(made, 3);
          }
        const { heap, cpuBefore, cpuAfter } = await side.usage();
        assert.ok(heap > 0 && cpuAfter >= cpuBefore && cpuBefore > 0);
      } finally {
        await side.close();
      }
    });
  }
});
