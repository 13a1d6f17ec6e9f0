/** The benchmark's agent behind the stock handler: the same plans, as events on the SDK's bus. */
import {
  type Message,
  Role,
  Task,
  type TaskArtifactUpdateEvent,
  TaskState,
  type TaskStatusUpdateEvent,
} from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor } from '@a2a-js/sdk/server';
import { type Plan, play } from '../plan.js';
import type { Control } from './control.js';

interface Names {
  taskId: string;
  contextId: string;
}

export function stockAgent(control: Control): AgentExecutor {
  return {
    async execute({ taskId, contextId, userMessage }, bus) {
      const names = { taskId, contextId };
      const content = userMessage.parts[0]?.content;
      const plan = JSON.parse(content?.$case === 'text' ? content.value : '{}') as Plan;
      bus.publish(AgentEvent.task(firstTask(names, plan)));
      bus.publish(AgentEvent.statusUpdate(status(names, TaskState.TASK_STATE_WORKING)));
      for await (const text of play(plan, control.more)) {
        bus.publish(
          plan.say === 'status'
            ? AgentEvent.statusUpdate(status(names, TaskState.TASK_STATE_WORKING, text))
            : AgentEvent.artifactUpdate(chunk(names, text)),
        );
      }
      bus.publish(AgentEvent.statusUpdate(status(names, TaskState.TASK_STATE_COMPLETED)));
      bus.finished();
      control.taskEnded();
    },
    cancelTask: async () => {},
  };
}

/**
 * The text rides in the metadata, which each event replaces. In a message it would be kept in the Task's history, and
 * this server would be quadratic in statuses too.
 */
function status({ taskId, contextId }: Names, state: TaskState, text?: string): TaskStatusUpdateEvent {
  return {
    taskId,
    contextId,
    status: { state, message: undefined, timestamp: new Date().toISOString() },
    metadata: text === undefined ? undefined : { text },
  };
}

function chunk({ taskId, contextId }: Names, text: string): TaskArtifactUpdateEvent {
  const parts = [textPart(text)];
  const artifact = { artifactId: 'answer', name: '', description: '', parts, metadata: undefined };
  return {
    taskId,
    contextId,
    artifact: { ...artifact, extensions: [] },
    append: true,
    lastChunk: false,
    metadata: undefined,
  };
}

function textPart(text: string): Message['parts'][number] {
  return { content: { $case: 'text', value: text }, mediaType: '', filename: '', metadata: undefined };
}

/** What was said before, as this server's Task keeps it: statuses as messages of the history, chunks as parts. */
function firstTask({ taskId, contextId }: Names, { say, before = 0, bytes }: Plan): Task {
  const texts = Array.from({ length: before }, () => textPart('x'.repeat(bytes)));
  const task = Task.fromJSON({
    id: taskId,
    contextId,
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() },
  });
  if (say === 'status') {
    task.history = texts.map((part, index) => ({
      messageId: `status-${index}`,
      contextId,
      taskId,
      role: Role.ROLE_AGENT,
      parts: [part],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    }));
  } else {
    const artifact = { artifactId: 'answer', name: 'answer', description: '', metadata: undefined };
    task.artifacts = [{ ...artifact, parts: texts, extensions: [] }];
  }
  return task;
}
