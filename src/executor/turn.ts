/** One accepted task on its way through the agent: dispatch, events, stop causes, the outcome (profile section 5). */
import type { TaskRow } from '../journal/journal.js';
import type { DelegationRequest } from '../profile/model.js';
import type { Evidence, StopCause } from '../profile/outcome.js';
import type { AgentTurn, TurnEnd } from './agent/runner.js';
import { statusDraft } from './drafts.js';
import { untilDurable } from './durable.js';
import { finish } from './finish.js';
import type { ExecutorParts } from './parts.js';
import { APPEND_LIMIT_MS, TaskLog } from './task-log.js';
import { Translation } from './translate.js';

export interface TurnLimits {
  executor: string;
  outputBytes: number;
  eventBytes: number;
  events: number;
}

export class Turn {
  readonly #parts: ExecutorParts;
  readonly #limits: TurnLimits;
  readonly #row: TaskRow;
  readonly #request: DelegationRequest;
  readonly #released: () => void;
  readonly #log: TaskLog;
  readonly #translation: Translation;
  #agent: AgentTurn | undefined;
  #stopCause: StopCause | undefined;
  #stopRecorded: Promise<unknown> = Promise.resolve();
  #abandoned = false;
  #timers: (() => void)[] = [];

  /** `released` is called once the agent is gone: its slot is free before its terminal event can be seen. */
  constructor(
    parts: ExecutorParts,
    limits: TurnLimits,
    row: TaskRow,
    request: DelegationRequest,
    released: () => void,
  ) {
    this.#released = released;
    this.#parts = parts;
    this.#limits = limits;
    this.#row = row;
    this.#request = request;
    this.#log = new TaskLog(parts.journal, parts.clock, row.taskId, () => this.stop('store'));
    const outputBytes = Math.min(limits.outputBytes, request.budget.max_output_bytes);
    this.#translation = new Translation(row, { ...limits, outputBytes }, row.sequence + 1, () =>
      parts.mint('message'),
    );
  }

  /** Resolves when the terminal event is durable and the agent's process group is gone. */
  async run(): Promise<void> {
    const { runner, clock } = this.#parts;
    this.#after(this.#row.deadlineAt - clock.now(), 'deadline');
    const agent = runner.start(
      {
        taskId: this.#row.taskId,
        turnId: this.#row.turnId,
        prompt: this.#request.task,
        effective: this.#row.effective,
      },
      {
        started: (process) => this.#record({ process }),
        beforePrompt: () => this.#dispatch(),
      },
    );
    this.#agent = agent;
    if (this.#stopCause !== undefined) agent.cancel();
    try {
      for await (const event of agent.events) {
        if (event.type === 'permission') this.#auditPermission(event.kind, event.toolCallId, event.allowed);
        const { drafts, stop } = this.#translation.translate(event, clock.now());
        for (const draft of drafts) await this.#log.add(draft);
        if (stop !== undefined) {
          this.stop(stop);
          break;
        }
      }
      const end = await agent.end;
      this.#released();
      await this.#log.flushed();
      await this.#stopRecorded;
      await this.#end(end);
    } finally {
      for (const cancel of this.#timers) cancel();
    }
  }

  /** Journals the cause (the first one stands), then asks the agent to stop; a lost store kills it at once. */
  stop(cause: StopCause): void {
    if (this.#stopCause !== undefined) return;
    this.#stopCause = cause;
    if (cause === 'store') {
      this.#agent?.kill();
      return;
    }
    this.#stopRecorded = this.#recordStop(cause).finally(() => this.#agent?.cancel());
  }

  /** A cancel that `CancelTask` has journalled already. */
  cancelled(): void {
    this.#stopCause ??= 'cancel';
    this.#agent?.cancel();
  }

  /** The process is going away: nothing more is written; the next one recovers the task. */
  abandon(): void {
    this.#abandoned = true;
    this.#agent?.kill();
  }

  async #recordStop(cause: StopCause): Promise<void> {
    try {
      await this.#parts.journal.append(this.#row.taskId, { events: [], set: { stopCause: cause } });
    } catch (error) {
      // Then the cause is known to this process alone, and still decides the outcome that it writes.
      this.#parts.log.warn({ err: error, task: this.#row.taskId, cause }, 'a stop cause was not journalled');
    }
  }

  #after(ms: number, cause: StopCause): void {
    this.#timers.push(this.#parts.clock.after(ms, () => this.stop(cause)));
  }

  async #record(set: { process: { pgid: number; startTime: string } }): Promise<void> {
    const { journal, clock } = this.#parts;
    await untilDurable(clock, () => journal.append(this.#row.taskId, { events: [], set }), {
      limitMs: APPEND_LIMIT_MS,
    });
  }

  /** The dispatch is durable before the prompt is written: after a crash it counts as prompted (never a second one). */
  async #dispatch(): Promise<boolean> {
    if (this.#stopCause !== undefined) return false;
    const { journal, clock } = this.#parts;
    const now = clock.now();
    const working = statusDraft(this.#row, 'TASK_STATE_WORKING', now);
    try {
      const appended = await untilDurable(
        clock,
        () => journal.append(this.#row.taskId, { events: [working], set: { dispatchedAt: now } }),
        { limitMs: APPEND_LIMIT_MS },
      );
      if (appended.kind !== 'appended') return false;
      // A cancel that was journalled before this turn was known to anybody.
      this.#stopCause ??= appended.task.stopCause;
    } catch (error) {
      this.#parts.log.error({ err: error, task: this.#row.taskId }, 'the dispatch could not be journalled');
      this.stop('store');
      return false;
    }
    // Asked again: the stop may have come while the disk was written.
    if (this.#stopCause !== undefined) return false;
    const runtime = this.#request.budget.max_runtime_ms;
    if (runtime !== undefined) this.#after(runtime, 'runtime');
    return true;
  }

  #auditPermission(kind: string, toolCallId: string, allowed: boolean): void {
    const { journal, clock, log } = this.#parts;
    journal
      .audit({
        kind: 'permission',
        at: clock.now(),
        peer: this.#row.caller,
        taskId: this.#row.taskId,
        detail: { kind, tool_call_id: toolCallId, allowed },
      })
      .catch((error: Error) => log.error({ err: error }, 'a permission was not audited'));
  }

  async #end(end: TurnEnd): Promise<void> {
    await finish(
      this.#limits.executor,
      this.#parts,
      this.#row.taskId,
      (row) => {
        const { outcome, error } = this.#parts.judge(evidenceOf(end, row, this.#stopCause));
        const artifacts = [...this.#translation.artifacts.values()];
        return { outcome, error, summary: end.summary, artifacts, sideEffects: end.sideEffects };
      },
      this.#translation.closing(),
      () => this.#abandoned,
    );
  }
}

function evidenceOf(end: TurnEnd, row: TaskRow, stopCause: StopCause | undefined): Evidence {
  const exec = row.effective.includes('exec');
  const repositoryOnly = row.effective.every((capability) => capability.startsWith('repo:'));
  return {
    dispatched: end.dispatched,
    stopReason: end.stopReason,
    error: end.error,
    openCalls: end.openCalls,
    noEffectProven: end.boundary || (repositoryOnly && end.workspaceChanged === false),
    violated: end.violations.length > 0 || (!exec && end.workspaceChanged === true),
    stopCause: row.stopCause ?? stopCause,
    cancelled: row.cancelRequestedAt !== undefined,
  };
}
