/** The executor (OAB B): admission, turns and reads over a journal, behind the port that every binding adapts to. */
import type { TaskRow } from '../journal/journal.js';
import { ProfileError } from '../profile/errors.js';
import type { DelegationRequest } from '../profile/model.js';
import { type AdmissionContext, admit, isConfigured } from './admission.js';
import { recordCancel } from './cancel.js';
import { Capacity } from './capacity.js';
import { cardParams } from './card-params.js';
import type { ExecutorConfig } from './config.js';
import { DecisionAudit } from './decision-audit.js';
import { untilDurable } from './durable.js';
import { Folds } from './fold.js';
import type { ExecutorParts } from './parts.js';
import { followTask, getTask, listTasks, observeTask, own, snapshotOf } from './reads.js';
import { recover } from './recovery.js';
import { scheduleRetention } from './retention.js';
import type { DelegationService } from './service.js';
import { sayingUnavailable } from './store-answers.js';
import { APPEND_LIMIT_MS } from './task-log.js';
import { TokenBuckets } from './token-bucket.js';
import { Turn } from './turn.js';

export interface Executor {
  service: DelegationService;
  /** Ends what a former process left open; throws NoSigningKey when nothing could be signed. Call before serving. */
  start(): Promise<void>;
  /** Refuses new tasks; resolves when the running ones have ended. */
  drain(): Promise<void>;
  /** Kills what still runs; the next start recovers it. */
  stop(): Promise<void>;
  running(): number;
}

/** Refusals and duplicates that each caller may have on record one by one, in an hour. */
const LEAST_AUDITED = 100;

export function createExecutor(config: ExecutorConfig, parts: ExecutorParts): Executor {
  const { journal, clock, log } = parts;
  // Every running task's and as many again: a fold that is dropped too early is made again from the first event.
  const folds = new Folds(journal, 32 + 2 * config.limits.running);
  const context = { executor: config.peer, parts, folds };
  const capacity = new Capacity(config.limits.running, config.peers);
  const buckets = new TokenBuckets(config.limits.rate);
  const audit = new DecisionAudit(journal, clock, log, Math.max(LEAST_AUDITED, config.limits.rejected));
  const turns = new Map<string, { turn: Turn; ended: Promise<void> }>();
  const limits = {
    outputBytes: config.limits.outputBytes,
    eventBytes: config.limits.eventBytes,
    events: config.limits.events,
  };
  /** Creates that are being decided: what they start is not in `turns` yet. */
  const creating = new Set<Promise<unknown>>();
  let draining = false;
  let stopping = false;
  let stopRetention = () => {};

  /** The turn outlives the request that made it: no observer and no disconnect ever ends it (O-147). */
  const launch = (row: TaskRow, request: DelegationRequest, release: () => void): void => {
    // Admitted while the process was told to go: the next start ends it.
    if (stopping) {
      release();
      return;
    }
    const turn = new Turn(context, limits, row, request, release);
    const ended = turn
      .run()
      .catch((error: Error) => log.error({ err: error, task: row.taskId }, 'a turn ended without an outcome'))
      .finally(() => {
        turns.delete(row.taskId);
        release();
      });
    turns.set(row.taskId, { turn, ended });
  };

  const hasKey = (): boolean => {
    try {
      parts.keys.active();
      return true;
    } catch {
      // No active key is a state to drain in, not an error of the caller.
      return false;
    }
  };

  /** A store may have taken an admission whose answer was lost: nobody runs that task, so nobody would end it. */
  const endForgotten = async (): Promise<void> => {
    const since = clock.now() - APPEND_LIMIT_MS;
    await recover(context, ({ taskId, acceptedAt }) => !turns.has(taskId) && acceptedAt < since);
  };

  const admission: AdmissionContext = {
    config,
    parts,
    capacity,
    audit,
    draining: () => draining || !hasKey(),
    underWay: new Map(),
  };
  const service = sayingUnavailable({
    describe: () => ({
      peer: config.peer,
      publicUrl: config.publicUrl,
      version: config.version,
      required: config.required,
      params: cardParams(config, parts.keys),
    }),
    throttle(caller) {
      if (!isConfigured(config, caller)) throw new ProfileError('UNAUTHENTICATED');
      const wait = buckets.take(caller.peer, clock.now());
      if (wait > 0) throw new ProfileError('SATURATED', 'rate', wait);
    },
    async create(caller, request) {
      const deciding = admit(admission, caller, request).then((accepted) => {
        if (accepted.kind === 'started') launch(accepted.row, request, accepted.release);
        return accepted;
      });
      creating.add(deciding);
      const accepted = await deciding.finally(() => creating.delete(deciding));
      await folds.prepare(accepted.row.taskId);
      return { snapshot: snapshotOf(folds, accepted.row.taskId), duplicate: accepted.kind === 'duplicate' };
    },
    async get(caller, taskId, cursor) {
      own(journal, caller, taskId);
      await folds.prepare(taskId);
      return getTask(journal, folds, caller, taskId, cursor);
    },
    list: async (caller, query) => listTasks(journal, folds, caller, query),
    async observe(caller, taskId, signal, terminalOk = false) {
      own(journal, caller, taskId);
      await folds.prepare(taskId);
      return observeTask(journal, folds, caller, taskId, signal, terminalOk);
    },
    async follow(caller, taskId, cursor, signal) {
      own(journal, caller, taskId);
      await folds.prepare(taskId);
      return followTask(journal, folds, caller, taskId, cursor, signal);
    },
    async cancel(caller, taskId) {
      await recordCancel(parts, caller, taskId);
      turns.get(taskId)?.turn.cancelled();
      return snapshotOf(folds, taskId);
    },
    refused: (refusal) => audit.refused(refusal),
  });

  return {
    service,
    async start() {
      parts.keys.active();
      await recover(context);
      await journal.audit({
        kind: 'start',
        at: clock.now(),
        detail: { executor: config.peer, version: config.version },
      });
      stopRetention = scheduleRetention(parts, config, endForgotten);
    },
    async drain() {
      draining = true;
      while (creating.size + turns.size > 0) {
        await Promise.allSettled([...creating, ...[...turns.values()].map(({ ended }) => ended)]);
      }
    },
    async stop() {
      draining = true;
      stopping = true;
      stopRetention();
      await Promise.allSettled(creating);
      const running = [...turns.values()];
      for (const { turn } of running) turn.abandon();
      await Promise.all(running.map(({ ended }) => ended));
      await parts.runner.close();
      await audit.flush();
      await untilDurable(
        clock,
        () => journal.audit({ kind: 'stop', at: clock.now(), detail: { executor: config.peer } }),
        { limitMs: 1000 },
      ).catch((error: Error) => log.error({ err: error }, 'the stop was not audited'));
    },
    running: () => capacity.total,
  };
}
