/** An executor over a real journal and an in-process runner, and the small things that its tests repeat. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Journal } from '../../journal/journal.js';
import { openSqliteJournal } from '../../journal/sqlite.js';
import { effectiveAuthority } from '../../profile/authority.js';
import { signEnvelope } from '../../profile/envelope.js';
import { isTerminal } from '../../profile/lifecycle.js';
import type { DelegationRequest } from '../../profile/model.js';
import { judge } from '../../profile/outcome.js';
import { requestDigest } from '../../profile/request.js';
import { honestRequest } from '../../profile/testing.js';
import { silentLog } from '../../telemetry/log.js';
import type { AgentRunner } from '../agent/runner.js';
import type { ExecutorConfig } from '../config.js';
import { createExecutor } from '../executor.js';
import type { ExecutorParts } from '../parts.js';
import type { Caller, DelegationService, TaskSnapshot } from '../service.js';
import { systemClock } from '../system-clock.js';

export const CONFIG: ExecutorConfig = {
  peer: 'oab-b',
  publicUrl: 'http://oab-b.lab/',
  version: '0',
  required: true,
  capabilities: ['repo:read', 'exec'],
  peers: [
    { peer: 'oab-a', capabilities: ['repo:read'], maxRunning: 4 },
    { peer: 'oab-c', capabilities: ['repo:read'], maxRunning: 4 },
  ],
  limits: {
    running: 6,
    taskBytes: 65_536,
    deadlineMs: 3_600_000,
    outputBytes: 1024 * 1024,
    eventBytes: 65_536,
    events: 100_000,
    frameBytes: 4 * 1024 * 1024,
    rejected: 3,
    rate: 1_000_000,
    clockSkewMs: 30_000,
  },
  windowMs: 7_200_000,
  heartbeatMs: 250,
  retentionMs: 86_400_000,
  stopGraceMs: 100,
  revocationMs: 1000,
};

export async function openTestExecutor(
  runner: AgentRunner,
  more: { config?: Partial<ExecutorConfig>; parts?: (parts: ExecutorParts) => ExecutorParts } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'oab-executor-'));
  const file = join(folder, 'journal.db');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  let journal: Journal = await openSqliteJournal({ file });
  const config = { ...CONFIG, ...more.config };
  const make = () => {
    const parts: ExecutorParts = {
      journal,
      runner,
      keys: { active: () => ({ kid: 'k', key: privateKey }), find: () => undefined, publicJwks: () => [] },
      clock: systemClock,
      log: silentLog,
      mint: (kind) => `${kind}-${randomUUID()}`,
      authority: effectiveAuthority,
      judge,
      sign: signEnvelope,
      killOrphan: async () => {},
    };
    return createExecutor(config, more.parts?.(parts) ?? parts);
  };
  let executor = make();
  await executor.start();
  return {
    get executor() {
      return executor;
    },
    get service() {
      return executor.service;
    },
    get journal() {
      return journal;
    },
    publicKey,
    /** As after a SIGKILL: nothing is drained or recorded, the file is opened anew. */
    async crash() {
      await journal.close();
      journal = await openSqliteJournal({ file });
      executor = make();
    },
    async close() {
      await executor.stop();
      await journal.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A request of now, and the caller whose token is bound to it. */
export function requestOf(
  more: Partial<DelegationRequest> = {},
  peer = 'oab-a',
): { request: DelegationRequest; caller: Caller } {
  const request = honestRequest({
    request_id: `req-${randomUUID()}`,
    nonce: randomUUID(),
    issued_at: new Date().toISOString(),
    ...more,
  });
  return { request, caller: callerOf(request, peer) };
}

export function callerOf(request: DelegationRequest, peer = 'oab-a'): Caller {
  return { peer, via: 'token', cap: request.capabilities, req: requestDigest(request), jti: 'j' };
}

/** The task after its terminal event; rejects when it does not come in time. */
export async function untilEnded(
  service: DelegationService,
  caller: Caller,
  taskId: string,
): Promise<TaskSnapshot> {
  const { events } = await service.observe(caller, taskId, AbortSignal.timeout(10_000), true);
  for await (const _batch of events) {
    // Until the end.
  }
  const { snapshot } = await service.get(caller, taskId);
  if (!isTerminal(snapshot.row.state)) throw new Error(`${taskId} did not end in time`);
  return snapshot;
}
