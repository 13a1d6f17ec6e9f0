/**
 * What an executor is made of. Every rule that a criterion is about stands here as a replaceable part, so that a
 * planted defect is another part and the product holds no switch for it.
 */
import type { SigningKeys } from '../identity/ports.js';
import type { Journal } from '../journal/journal.js';
import type { effectiveAuthority } from '../profile/authority.js';
import type { signEnvelope } from '../profile/envelope.js';
import type { judge } from '../profile/outcome.js';
import type { Log } from '../telemetry/log.js';
import type { AgentRunner } from './agent/runner.js';

export interface Clock {
  /** Wall time, ms since the epoch. */
  now(): number;
  /** Calls back once after `ms`; the result cancels it. */
  after(ms: number, callback: () => void): () => void;
}

export interface ExecutorParts {
  journal: Journal;
  runner: AgentRunner;
  keys: SigningKeys;
  clock: Clock;
  log: Log;
  /** Ids that this executor mints (O-86): unguessable, ≤ 128 ASCII. */
  mint(kind: 'task' | 'context' | 'turn' | 'message'): string;
  authority: typeof effectiveAuthority;
  judge: typeof judge;
  sign: typeof signEnvelope;
  /** Kills what a former process of this executor left running; resolves when it is gone. */
  killOrphan(process: { pgid: number; startTime: string }): Promise<void>;
}
