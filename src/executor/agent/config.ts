/** How the executor runs its agent; plain values, paths absolute, times in ms. */
export interface AgentConfig {
  command: readonly [string, ...string[]];
  /** Names of environment variables that the agent inherits; nothing else of ours. */
  env: readonly string[];
  workspace: string;
  /** ACP session mode to select when the grants do not allow writing and the agent offers it. */
  readOnlyMode?: string;
  stopGraceMs: number;
  /** HOME of the agent: where its own login lives. */
  home?: string;
  /** Merge text that already waits; off in the lab, where each chunk is an event. */
  coalesce: boolean;
  /** Folders below the workspace that the agent may change: not part of the workspace digest. */
  writable: readonly string[];
  /** For each of initialize, session/new and session/set_mode. */
  startupMs: number;
}

export const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Lines of a protocol stream that are no JSON: a few are a careless logger, more is another protocol (OPEN-46). */
export const MAX_NOISE_LINES = 100;
