/** One turn: a process of its own, one ACP session, one prompt, and the proof of how it ended. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ResultErrorCode } from '../../profile/errors.js';
import { AgentFailure, converse } from './acp-session.js';
import { cleanLine } from './clean-line.js';
import type { AgentConfig } from './config.js';
import { EventQueue } from './event-queue.js';
import { AgentProtocolError, lineStream } from './line-stream.js';
import type { answerPermission } from './permissions.js';
import { endGroup, signalGroup, startTimeOf } from './process-group.js';
import type { AgentTask, AgentTurn, TurnEnd, TurnHooks } from './runner.js';
import { Summary } from './summary.js';
import { ToolCalls } from './tool-calls.js';
import { translateUpdate } from './translate-update.js';
import { watch } from './watchdog.js';
import { workspaceDigest } from './workspace-digest.js';

export interface AcpParts {
  answerPermission: typeof answerPermission;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

interface Conversation {
  stopReason?: string;
  error?: ResultErrorCode;
}

export function startAcpTurn(
  config: AgentConfig,
  parts: AcpParts,
  task: AgentTask,
  hooks: TurnHooks,
): AgentTurn {
  const events = new EventQueue(config.coalesce);
  const calls = new ToolCalls();
  const summary = new Summary();
  const readOnly = !task.effective.includes('exec');
  let child: Child | undefined;
  let dispatched = false;
  let stopping = false;
  let requestCancel: (() => void) | undefined;
  let graceTimer: NodeJS.Timeout | undefined;

  const kill = (): void => {
    stopping = true;
    if (child?.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
  };
  const cancel = (): void => {
    if (graceTimer !== undefined) return;
    stopping = true;
    graceTimer = setTimeout(kill, config.stopGraceMs);
    if (requestCancel !== undefined) requestCancel();
    else if (!dispatched) kill();
  };

  const run = async (): Promise<TurnEnd> => {
    const before = readOnly ? await workspaceDigest(config.workspace, config.writable) : undefined;
    const folder = mkdtempSync(join(tmpdir(), 'oab-agent-'));
    let conversation: Conversation = { error: 'AGENT_UNAVAILABLE' };
    try {
      if (!stopping) conversation = await processOf(folder);
    } finally {
      clearTimeout(graceTimer);
      discard(folder);
      events.end();
    }
    const after = before === undefined ? undefined : await workspaceDigest(config.workspace, config.writable);
    return {
      ...conversation,
      dispatched,
      openCalls: calls.open,
      violations: calls.violations(task.effective),
      ...(before === undefined || after === undefined ? {} : { workspaceChanged: before !== after }),
      boundary: false,
      // Absence of effects is never claimed without an enforced boundary (section 6).
      sideEffects: [...calls.sideEffects(), { kind: 'boundary', evidence: 'unverified' }],
      summary: summary.value,
    };
  };

  const processOf = async (folder: string): Promise<Conversation> => {
    const started = await launch(config, folder);
    if (started === undefined) return { error: 'AGENT_UNAVAILABLE' };
    child = started;
    const pid = started.pid as number;
    // When the leader is gone the rest of its group goes too: a wrapper that dies must not leave the agent (OPEN-49),
    // and a child that holds the pipe open must not keep the conversation waiting.
    const exited = new Promise<void>((resolve) => started.once('exit', () => resolve())).then(() =>
      endGroup(pid),
    );
    const release = watch(pid);
    try {
      await hooks.started({ pgid: pid, startTime: startTimeOf(pid) });
      if (stopping) return {};
      return await talk(started);
    } finally {
      await endGroup(pid);
      await exited;
      release();
      // From here on the number may be another group's.
      child = undefined;
    }
  };

  const talk = async (agent: Child): Promise<Conversation> => {
    let broken: Error | undefined;
    const stream = lineStream(
      agent.stdin,
      agent.stdout,
      () => events.room(),
      (error) => {
        broken = error;
      },
    );
    try {
      const stopReason = await converse(stream, config, task.prompt, readOnly, {
        update: (update) => onUpdate(update),
        permission: (request) => onPermission(request),
        beforePrompt: async () => {
          if (stopping || !(await hooks.beforePrompt()) || stopping) return false;
          dispatched = true;
          return true;
        },
        cancellable: (request) => {
          requestCancel = request;
          if (stopping) request();
        },
      });
      return stopReason === undefined ? {} : { stopReason };
    } catch (error) {
      if (broken instanceof AgentProtocolError) return { error: 'AGENT_PROTOCOL' };
      if (error instanceof AgentFailure) return { error: error.code };
      return { error: dispatched ? 'WORKER_LOST' : 'AGENT_UNAVAILABLE' };
    }
  };

  const onUpdate = (update: Record<string, unknown>): void => {
    const kind = update.sessionUpdate;
    if (kind === 'tool_call' || kind === 'tool_call_update') summary.toolCall();
    const event = translateUpdate(update, calls);
    if (event === undefined) return;
    if (event.type === 'text') summary.text(event.text);
    events.push(event);
  };

  const onPermission = async ({
    toolCall,
    options,
  }: {
    toolCall: Record<string, unknown>;
    options: unknown;
  }) => {
    const id = String(toolCall?.toolCallId ?? '');
    const announced = calls.kindOf(id);
    const asked = toolCall?.kind ?? announced;
    // A call that was announced as one kind and asks as another is of no kind that could be allowed.
    const kind = announced === undefined || asked === announced ? asked : undefined;
    const title = cleanLine(String(toolCall?.title ?? ''));
    // While stopping the outcome is `cancelled`, or the agent would wait for us and we for it (OPEN-48).
    const answer = stopping ? { allowed: false } : parts.answerPermission({ kind, options }, task.effective);
    const shown = typeof asked === 'string' ? cleanLine(asked) : 'unknown';
    if (!answer.allowed) calls.denied(id, shown, title);
    events.push({
      type: 'permission',
      toolCallId: id.slice(0, 128),
      kind: shown,
      allowed: answer.allowed,
      title,
    });
    return answer;
  };

  // Whatever breaks, the consumer is not left waiting.
  return { events, end: run().finally(() => events.end()), cancel, kill };
}

function discard(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The agent may have made something there that we cannot remove; the turn's outcome does not hang on it.
  }
}

/** undefined when the command cannot be started at all. */
function launch(config: AgentConfig, folder: string): Promise<Child | undefined> {
  const [command, ...args] = config.command;
  // The mark of a delegated session: a coordinator refuses to delegate from it (O-30, O-105).
  const env: Record<string, string> = { TMPDIR: folder, OAB_DELEGATION_DEPTH: '1' };
  for (const name of config.env) if (process.env[name] !== undefined) env[name] = process.env[name];
  if (config.home !== undefined) env.HOME = config.home;
  return new Promise((resolve) => {
    // detached: a session and process group of its own, so that the whole of it can be ended.
    const child = spawn(command, args, {
      cwd: config.workspace,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.on('error', () => undefined);
    child.once('spawn', () => resolve(child));
    child.once('error', () => resolve(undefined));
  });
}
