/**
 * The port between the executor's turn and whatever does the work. `AcpRunner` is one implementation;
 * tests and the benchmark have one in-process.
 */
import type { ResultErrorCode } from '../../profile/errors.js';
import type { Part, SideEffect } from '../../profile/model.js';

export interface AgentTask {
  taskId: string;
  turnId: string;
  /** The delegated text. */
  prompt: string;
  /** The effective capabilities: which ACP tool kinds may be allowed. */
  effective: readonly string[];
}

/** What the agent did, already translated (harness: from ACP to A2A events), in order. */
export type AgentEvent =
  /** Agent text: extends the open `answer` artifact. */
  | { type: 'text'; text: string }
  /** A tool call or plan line to show as a WORKING status; redacted title and status only. */
  | { type: 'status'; text: string }
  | { type: 'artifact'; name?: string; parts: Part[] }
  | { type: 'permission'; toolCallId: string; kind: string; allowed: boolean; title: string };

/** How the turn ended, as far as the runner can prove it. The process group is gone when it is returned. */
export interface TurnEnd {
  /** ACP's stopReason, or undefined when the process ended, broke the protocol or never started. */
  stopReason?: string;
  /** From our error catalogue (AGENT_UNAVAILABLE, AGENT_INCOMPATIBLE, AGENT_LOGIN, AGENT_PROTOCOL, WORKER_LOST). */
  error?: ResultErrorCode;
  /** false: no prompt was ever written to the agent. */
  dispatched: boolean;
  /** A tool call other than read, search, think had no final status. */
  openCalls: boolean;
  /** Kinds outside the effective set that completed. */
  violations: string[];
  /** undefined: not measured (grants with exec). */
  workspaceChanged?: boolean;
  /** An enforced OS boundary rules out an effect. */
  boundary: boolean;
  sideEffects: SideEffect[];
  /** Text after the last tool call, else all; ≤ 2,048 bytes at a code point. */
  summary: string;
}

export interface AgentTurn {
  /** Ends when the turn has ended; the consumer awaits each item before pulling the next, which is the back-pressure. */
  events: AsyncIterable<AgentEvent>;
  /** Resolves after `events` is drained and the process group is gone. */
  end: Promise<TurnEnd>;
  /** ACP session/cancel, then the group is killed after the stop grace. Idempotent. */
  cancel(): void;
  /** Kills the group at once. Idempotent. */
  kill(): void;
}

export interface TurnHooks {
  /** The process runs: journalled, so that a later process can end it. */
  started(process: { pgid: number; startTime: string }): Promise<void>;
  /**
   * Awaited after the session is ready and before the prompt is written: the dispatch is journalled here. When it
   * throws or answers false, nothing is prompted.
   */
  beforePrompt(): Promise<boolean>;
}

export interface AgentRunner {
  start(task: AgentTask, hooks: TurnHooks): AgentTurn;
  /** Kills what still runs; resolves when it is gone. */
  close(): Promise<void>;
}
