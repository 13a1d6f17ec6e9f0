/** A process that runs an agent for ever and prints its process group. */
import { createAcpRunner } from '../acp-runner.js';

const [, , agent = '', workspace = ''] = process.argv;
const runner = createAcpRunner({
  command: [process.execPath, agent],
  env: ['PATH'],
  workspace,
  stopGraceMs: 1000,
  coalesce: false,
  writable: [],
  startupMs: 10_000,
});
let group = 0;
const turn = runner.start(
  { taskId: 't', turnId: 'u', prompt: 'case: c\nchild\nsay up\nhang', effective: ['repo:read'] },
  {
    started: async ({ pgid }) => {
      group = pgid;
    },
    beforePrompt: async () => true,
  },
);
for await (const event of turn.events) if (event.type === 'text') process.stdout.write(`${group}\n`);
