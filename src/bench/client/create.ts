/** Makes tasks and says their ids: for what is measured on tasks that exist. */
import type { Plan } from '../plan.js';
import type { Side } from '../side.js';
import { Connection } from './connection.js';
import type { Requests } from './requests.js';

/** The id of the new task, once the server has answered. */
export async function createTask({ port, requests }: Side, plan: Plan): Promise<string> {
  return taskOn(await Connection.open(port), requests, plan);
}

/** The same on a connection that stands, which is closed afterwards. */
export async function taskOn(connection: Connection, requests: Requests, plan: Plan): Promise<string> {
  try {
    const text = (await connection.exchange(requests.create(plan))).toString('utf8');
    const { result } = JSON.parse(text) as { result?: { task?: { id?: string } } };
    if (result?.task?.id === undefined) throw new Error(`no task: ${text.slice(0, 300)}`);
    return result.task.id;
  } finally {
    connection.close();
  }
}
