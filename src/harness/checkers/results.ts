/** One signed result per task, about that task, with no more authority than was asked for and granted (profile section 6). */
import { jcs } from '../../profile/canonical.js';
import type { Digest } from '../../profile/model.js';
import type { Json } from '../wire/probe.js';
import type { Report } from './finding.js';
import type { TaskLog } from './task-log.js';

/** What is known of the create that made a task. */
export interface Asked {
  caller: string;
  requestId: string;
  digest: string | undefined;
  capabilities: readonly string[];
  /** The bound of the tokens that it was sent with; undefined where a case bent the token. */
  cap: readonly string[] | undefined;
}

const CORE: Readonly<Record<string, string>> = {
  completed: 'TASK_STATE_COMPLETED',
  cancelled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
  failed: 'TASK_STATE_FAILED',
  expired: 'TASK_STATE_FAILED',
  unknown: 'TASK_STATE_FAILED',
};

export class Results {
  readonly #report: Report;
  readonly #peer: string;
  readonly #seen = new Map<string, { text: string; envelope: Json; session: string }>();

  /** `peer` is the executor, as its results must name it. */
  constructor(report: Report, peer: string) {
    this.#report = report;
    this.#peer = peer;
  }

  /** A signed result as `session` received it, on a Task or a terminal event in the core state `state`. */
  seen(session: string, taskId: string, envelope: Json, state: unknown): void {
    const text = jcs(envelope);
    const known = this.#seen.get(taskId);
    if (known === undefined) this.#seen.set(taskId, { text, envelope, session });
    else if (known.text !== text)
      this.#report('one-result', `${taskId} has two signed results, in ${known.session} and ${session}`);
    if (typeof state === 'string' && CORE[String(envelope.status)] !== state)
      this.#report(
        'one-result',
        `${taskId} is ${state} and its signed result says ${String(envelope.status)}`,
      );
  }

  /** What an `EXT/event` or a result names as the effective set. */
  authority(taskId: string, effective: unknown, asked: Asked | undefined): void {
    if (asked === undefined || !Array.isArray(effective)) return;
    const wider = effective.filter(
      (one: string) => !asked.capabilities.includes(one) || asked.cap?.includes(one) === false,
    );
    if (wider.length > 0)
      this.#report(
        'authority',
        `${taskId} has ${wider.join(', ')}, which was not both asked for and in the token’s cap`,
      );
  }

  /** What holds only over the whole. */
  finish(log: (taskId: string) => TaskLog | undefined, asked: (taskId: string) => Asked | undefined): void {
    for (const [taskId, { envelope }] of this.#seen) {
      const request = asked(taskId);
      this.authority(taskId, envelope.effective_capabilities, request);
      this.#names(taskId, envelope, request);
      const { last_sequence, head } = (envelope.event_log ?? {}) as { last_sequence?: number; head?: Digest };
      const own = last_sequence === undefined ? undefined : log(taskId)?.headAt(last_sequence);
      if (own !== undefined && own !== head)
        this.#report(
          'chain',
          `the chain of ${taskId} over its ${last_sequence} events is not the signed head`,
        );
      const highest = log(taskId)?.highest ?? 0;
      if (last_sequence !== undefined && highest > last_sequence)
        this.#report(
          'chain',
          `the result of ${taskId} signs ${last_sequence} events, and event ${highest} was received`,
        );
    }
  }

  #names(taskId: string, envelope: Json, request: Asked | undefined): void {
    const expected: Record<string, string | undefined> = {
      task_id: taskId,
      executed_by: this.#peer,
      caller: request?.caller,
      request_id: request?.requestId,
      request_digest: request?.digest,
    };
    for (const [member, value] of Object.entries(expected)) {
      if (value !== undefined && envelope[member] !== value)
        this.#report(
          'one-result',
          `the result of ${taskId} names ${member} ${String(envelope[member])}, not ${value}`,
        );
    }
  }
}
