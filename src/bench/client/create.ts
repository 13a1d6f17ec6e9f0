/** Makes tasks and says their ids: for what is measured on tasks that exist. */
import type { Plan } from '../plan.js';
import type { Side } from '../side.js';
import { Connection } from './connection.js';

/** The id of the new task, once the server has answered. */
export async function createTask({ port, requests }: Side, plan: Plan): Promise<string> {
  const connection = await Connection.open(port);
  try {
    const text = (await connection.exchange(requests.create(plan))).toString('utf8');
    const { result } = JSON.parse(text) as { result?: { task?: { id?: string } } };
    if (result?.task?.id === undefined) throw new Error(`no task: ${text.slice(0, 300)}`);
    return result.task.id;
  } finally {
    connection.close();
  }
}
