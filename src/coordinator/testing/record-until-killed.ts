/** Records one delegation after the other and says each once it is durable, until somebody kills it. */
import { openStore } from '../store.js';
import { delegation } from './delegation.js';

const store = openStore(process.argv[2] ?? '');
for (let index = 0; ; index += 1) {
  const requestId = `req-${index}`;
  store.insert(delegation({ requestId }));
  store.update(requestId, { sent: true, taskId: `task-${index}` });
  process.stdout.write(`${requestId}\n`);
}
