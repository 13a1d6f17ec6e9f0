/** One ACP conversation of one turn over an agent's stdio, with the official SDK: version 1 only, no client surfaces. */
import { type ClientContext, client, methods, RequestError, type Stream } from '@agentclientprotocol/sdk';
import type { ResultErrorCode } from '../../profile/errors.js';
import type { AgentConfig } from './config.js';

/** A failure of the agent that has a name of its own in the result. */
export class AgentFailure extends Error {
  override name = 'AgentFailure';
  constructor(readonly code: ResultErrorCode) {
    super(code);
  }
}

export interface SessionHandlers {
  update(update: Record<string, unknown>): void;
  permission(request: {
    toolCall: Record<string, unknown>;
    options: unknown;
  }): Promise<{ optionId?: string }>;
  /** Awaited with the session ready; false: do not prompt. */
  beforePrompt(): Promise<boolean>;
  /** How to ask the agent to stop, from now on. */
  cancellable(cancel: () => void): void;
}

const AUTH_REQUIRED = -32000;

/** Runs initialize, session/new and one prompt; the raw stopReason, or undefined when it was not prompted. */
export function converse(
  stream: Stream,
  config: AgentConfig,
  prompt: string,
  readOnly: boolean,
  handlers: SessionHandlers,
): Promise<string | undefined> {
  let session = '';
  const app = client({ name: 'oab-executor' })
    .onNotification(methods.client.session.update, ({ params }) => {
      // Updates of another session are not this task's.
      if (params.sessionId === session) handlers.update(params.update as unknown as Record<string, unknown>);
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      const foreign = params.sessionId !== session;
      const request = params as unknown as { toolCall: Record<string, unknown>; options: unknown };
      const { optionId } = foreign ? {} : await handlers.permission(request);
      return {
        outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
      };
    });
  return app.connectWith(stream, async (agent) => {
    session = await open(agent, config, readOnly);
    if (!(await handlers.beforePrompt())) return undefined;
    const answer = agent.request(methods.agent.session.prompt, {
      sessionId: session,
      prompt: [{ type: 'text', text: prompt }],
    });
    // Only now: a cancel that arrives before the prompt is lost on the agent (OPEN-45).
    handlers.cancellable(
      () => void agent.notify(methods.agent.session.cancel, { sessionId: session }).catch(() => undefined),
    );
    return (await answer).stopReason as string;
  });
}

async function open(agent: ClientContext, config: AgentConfig, readOnly: boolean): Promise<string> {
  const within = <T>(step: Promise<T>): Promise<T> => inTime(step, config.startupMs);
  const { protocolVersion } = await within(
    agent.request(methods.agent.initialize, {
      protocolVersion: 1,
      // Nothing is offered: the agent reaches files and terminals through its own tools or not at all.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    }),
  );
  // The SDK hands any version on in silence.
  if (protocolVersion !== 1) throw new AgentFailure('AGENT_INCOMPATIBLE');
  const opened = await within(
    agent.request(methods.agent.session.new, { cwd: config.workspace, mcpServers: [] }),
  ).catch((error: unknown) => {
    throw error instanceof RequestError && error.code === AUTH_REQUIRED
      ? new AgentFailure('AGENT_LOGIN')
      : error;
  });
  const mode = config.readOnlyMode;
  if (readOnly && mode !== undefined && opened.modes?.availableModes.some(({ id }) => id === mode) === true) {
    await within(agent.request(methods.agent.session.setMode, { sessionId: opened.sessionId, modeId: mode }));
  }
  return opened.sessionId;
}

/** An agent that never answers is one that is not there. */
async function inTime<T>(step: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AgentFailure('AGENT_UNAVAILABLE')), ms);
  });
  try {
    return await Promise.race([step, late]);
  } finally {
    clearTimeout(timer);
  }
}
