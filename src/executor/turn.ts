/** One accepted task on its way through the agent: dispatch, events, stop causes, the outcome (profile section 5). */
import type { TaskRow } from '../journal/journal.js';
import type { DelegationRequest } from '../profile/model.js';
import type { StopCause } from '../profile/outcome.js';
import type { AgentEvent, AgentTurn, TurnEnd } from './agent/runner.js';
import { appendOnce } from './append-once.js';
import { statusDraft } from './drafts.js';
import { untilDurable } from './durable.js';
import { evidenceOf, lostEnd } from './evidence.js';
import { type FinishContext, finish } from './finish.js';
import { APPEND_LIMIT_MS, TaskLog } from './task-log.js';
import { Translation } from './translate.js';

export interface TurnLimits {
  outputBytes: number;
  eventBytes: number;
  events: number;
}

export class Turn {
  readonly #context: FinishContext;
  readonly #limits: TurnLimits;
  readonly #row: TaskRow;
  readonly #request: DelegationRequest;
  readonly #released: () => void;
  readonly #log: TaskLog;
  readonly #translation: Translation;
  #agent: AgentTurn | undefined;
  #process: TaskRow['process'];
  #dispatched = false;
  #stopCause: StopCause | undefined;
  #stopRecorded: Promise<unknown> = Promise.resolve();
  #permissions = 0;
  #abandoned = false;
  #timers: (() => void)[] = [];

  /** `released` is called once the agent is gone: its slot is free before its terminal event can be seen. */
  constructor(
    context: FinishContext,
    limits: TurnLimits,
    row: TaskRow,
    request: DelegationRequest,
    released: () => void,
  ) {
    const { journal, clock, log, mint } = context.parts;
    this.#context = context;
    this.#limits = limits;
    this.#row = row;
    this.#request = request;
    this.#released = released;
    this.#log = new TaskLog(journal, clock, row.taskId, row.sequence, (error) => {
      log.error({ err: error, task: row.taskId }, 'events could not be journalled');
      this.stop('store');
    });
    const outputBytes = Math.min(limits.outputBytes, request.budget.max_output_bytes);
    this.#translation = new Translation(row, { ...limits, outputBytes }, row.sequence + 1, () =>
      mint('message'),
    );
  }

  /** Resolves when the terminal event is durable and the agent's process group is gone. */
  async run(): Promise<void> {
    this.#after(this.#row.deadlineAt - this.#context.parts.clock.now(), 'deadline');
    const end = await this.#work();
    // From here on nothing runs that a limit could be about.
    for (const cancel of this.#timers) cancel();
    this.#released();
    await this.#log.flushed();
    await this.#stopRecorded;
    await finish(
      this.#context,
      this.#row.taskId,
      (row) => {
        const evidence = evidenceOf(end, row, this.#stopCause, this.#log.failed);
        const { outcome, error } = this.#context.parts.judge(evidence);
        return { outcome, error, summary: end.summary, sideEffects: end.sideEffects };
      },
      { stopped: () => this.#abandoned },
    );
  }

  /** Journals the cause (the first one stands) and asks the agent to stop; a lost store kills it at once. */
  stop(cause: StopCause): void {
    if (cause === 'store') this.#agent?.kill();
    if (this.#stopCause !== undefined) return;
    this.#stopCause = cause;
    if (cause === 'store') return;
    this.#stopRecorded = this.#recordStop(cause);
    // Not only then: a slow disk must not give the agent more time.
    this.#agent?.cancel();
  }

  /** A cancel that `CancelTask` has journalled already. */
  cancelled(): void {
    this.#stopCause ??= 'cancel';
    this.#agent?.cancel();
  }

  /** The process is going away: what cannot be written now is left to the next one's recovery. */
  abandon(): void {
    this.#abandoned = true;
    this.#agent?.kill();
  }

  /** Never rejects: whatever breaks, the task gets an outcome, and not before the agent is gone. */
  async #work(): Promise<TurnEnd> {
    const { runner, log, killOrphan } = this.#context.parts;
    const { taskId, turnId, effective } = this.#row;
    try {
      const agent = runner.start(
        { taskId, turnId, prompt: this.#request.task, effective },
        { started: (process) => this.#started(process), beforePrompt: () => this.#dispatch() },
      );
      this.#agent = agent;
      // It is awaited below, after the events; until then its failure is not unhandled.
      agent.end.catch(() => {});
      try {
        await this.#consume(agent);
      } catch (error) {
        agent.kill();
        log.error({ err: error, task: taskId }, 'an event of the agent could not be taken');
        return lostEnd(this.#dispatched, await agent.end);
      }
      return await agent.end;
    } catch (error) {
      log.error({ err: error, task: taskId }, 'the runner broke');
      if (this.#process !== undefined) await killOrphan(this.#process).catch(() => {});
      return lostEnd(this.#dispatched);
    }
  }

  async #consume(agent: AgentTurn): Promise<void> {
    for await (const event of agent.events) {
      if (event.type === 'permission') await this.#auditPermission(event);
      const { drafts, stop } = this.#translation.translate(event, this.#context.parts.clock.now());
      for (const draft of drafts) await this.#log.add(draft);
      if (stop !== undefined) {
        this.stop(stop);
        return;
      }
    }
  }

  async #recordStop(cause: StopCause): Promise<void> {
    const { journal, clock, log } = this.#context.parts;
    const write = () => journal.append(this.#row.taskId, { events: [], set: { stopCause: cause } });
    try {
      await untilDurable(clock, write, { limitMs: APPEND_LIMIT_MS });
    } catch (error) {
      // Then the cause is known to this process alone, and still decides the outcome that it writes.
      log.warn({ err: error, task: this.#row.taskId, cause }, 'a stop cause was not journalled');
    }
  }

  #after(ms: number, cause: StopCause): void {
    this.#timers.push(this.#context.parts.clock.after(ms, () => this.stop(cause)));
  }

  async #started(process: { pgid: number; startTime: string }): Promise<void> {
    this.#process = process;
    const { journal } = this.#context.parts;
    await this.#orStop(() => journal.append(this.#row.taskId, { events: [], set: { process } }));
  }

  /** The dispatch is durable before the prompt is written: after a crash it counts as prompted (never a second one). */
  async #dispatch(): Promise<boolean> {
    if (this.#stopCause !== undefined || this.#abandoned) return false;
    const { journal, clock } = this.#context.parts;
    const now = clock.now();
    const working = statusDraft(this.#row, 'TASK_STATE_WORKING', now);
    const { taskId, sequence } = this.#row;
    const append = { events: [working], set: { dispatchedAt: now } };
    const appended = await this.#orStop(appendOnce(journal, taskId, append, sequence));
    if (appended?.kind !== 'appended') return false;
    // A cancel that was journalled before this turn was known to anybody.
    this.#stopCause ??= appended.task.stopCause;
    // Asked again: the stop may have come while the disk was written.
    if (this.#stopCause !== undefined || this.#abandoned) return false;
    this.#dispatched = true;
    const runtime = this.#request.budget.max_runtime_ms;
    if (runtime !== undefined) this.#after(runtime, 'runtime');
    return true;
  }

  /** What must be durable for the turn to go on; undefined when it was not, and then the turn is stopped. */
  async #orStop<T>(write: () => Promise<T>): Promise<T | undefined> {
    const { clock, log } = this.#context.parts;
    try {
      return await untilDurable(clock, write, { limitMs: APPEND_LIMIT_MS });
    } catch (error) {
      log.error({ err: error, task: this.#row.taskId }, 'a step of a turn could not be journalled');
      this.stop('store');
      return undefined;
    }
  }

  async #auditPermission(event: Extract<AgentEvent, { type: 'permission' }>): Promise<void> {
    const { journal, clock } = this.#context.parts;
    this.#permissions += 1;
    // An agent that asks without end would fill the audit as it would the log.
    if (this.#permissions > this.#limits.events) this.stop('events');
    const { kind, toolCallId, allowed } = event;
    // The same row at each try, told by its number from another answer to the same call: it stands once.
    const row = {
      kind: 'permission' as const,
      at: clock.now(),
      peer: this.#row.caller,
      taskId: this.#row.taskId,
      detail: { kind, tool_call_id: toolCallId, allowed, asked: this.#permissions },
    };
    let again = false;
    await this.#orStop(() => {
      const written = journal.audit(row, again);
      again = true;
      return written;
    });
  }
}
