/** The eleven A2A operations over the delegation service, on wire JSON; shared by all A2A bindings. */
import type { TaskSnapshot } from '../../executor/service.js';
import { ProfileError } from '../../profile/errors.js';
import { isTerminal } from '../../profile/lifecycle.js';
import type { Task } from '../../profile/model.js';
import type { Call, OperationParts } from './call.js';
import { agentCard } from './card.js';
import { cancelledIdOf, listQueryOf, taskIdOf } from './params.js';
import { eventTexts, namesOf, taskJson } from './wire.js';

/** The result texts of a stream: the Task, then batches of events; ends after the terminal event. */
export interface EventStream {
  first: string;
  rest: AsyncIterable<string[]>;
}

export function operations({ service, interfaces, readCreate }: OperationParts) {
  const { peer } = service.describe();
  const limit = () => ({ peer, maxTaskBytes: service.describe().params.limits.maxTaskBytes });
  const task = (snapshot: TaskSnapshot): Task => taskJson(peer, { snapshot });

  const open = async (call: Call, taskId: string, terminalOk: boolean): Promise<EventStream> => {
    const { snapshot, events } = await service.observe(call.caller, taskId, call.signal, terminalOk);
    const names = namesOf(peer, snapshot);
    return {
      first: JSON.stringify({ task: task(snapshot) }),
      rest: texts(events, (batch) => eventTexts(names, batch)),
    };
  };

  return {
    /** Answers at once with `returnImmediately`, else with the terminal Task (O-15). */
    async send(call: Call): Promise<Task> {
      const { request, returnImmediately } = readCreate(call.params, limit());
      const { snapshot } = await service.create(call.caller, request);
      if (returnImmediately || isTerminal(snapshot.row.state)) return task(snapshot);
      const { taskId } = snapshot.row;
      const { events } = await service.observe(call.caller, taskId, call.signal, true);
      for await (const _batch of events) {
        // Only the end counts: a blocking send answers with the terminal Task.
      }
      return taskJson(peer, await service.get(call.caller, taskId));
    },
    async sendStreaming(call: Call): Promise<EventStream> {
      const { request } = readCreate(call.params, limit());
      const { snapshot } = await service.create(call.caller, request);
      return open(call, snapshot.row.taskId, true);
    },
    async get(call: Call): Promise<Task> {
      return taskJson(peer, await service.get(call.caller, taskIdOf(call.params), call.cursor));
    },
    async list(
      call: Call,
    ): Promise<{ tasks: Task[]; nextPageToken: string; pageSize: number; totalSize: number }> {
      const query = listQueryOf(call.params);
      const { tasks, next, total } = await service.list(call.caller, query);
      const shown = tasks.map((snapshot) =>
        task(query.withArtifacts ? snapshot : { ...snapshot, artifacts: [] }),
      );
      return { tasks: shown, nextPageToken: next, pageSize: query.limit, totalSize: total };
    },
    async cancel(call: Call): Promise<Task> {
      return task(await service.cancel(call.caller, cancelledIdOf(call.params)));
    },
    async subscribe(call: Call): Promise<EventStream> {
      return open(call, taskIdOf(call.params), false);
    },
    card: (): Record<string, unknown> => agentCard(service.describe(), interfaces()),
    push(): never {
      throw new ProfileError('PUSH_NOTIFICATION_NOT_SUPPORTED');
    },
  };
}

export type Operations = ReturnType<typeof operations>;

async function* texts<T>(
  batches: AsyncIterable<T[]>,
  written: (batch: T[]) => string[],
): AsyncGenerator<string[]> {
  for await (const batch of batches) yield written(batch);
}
