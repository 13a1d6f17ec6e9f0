/** What the card says of this executor: its limits and public keys as configured (profile section 2). */
import type { SigningKeys } from '../identity/ports.js';
import type { CardParams } from '../profile/model.js';
import type { ExecutorConfig } from './config.js';

export function cardParams(config: ExecutorConfig, keys: SigningKeys): CardParams {
  const { limits } = config;
  return {
    maxDepth: 1,
    cursor: { serviceParameter: 'OAB-Cursor', retentionSeconds: config.retentionMs / 1000 },
    idempotency: { windowSeconds: config.windowMs / 1000 },
    heartbeatSeconds: config.heartbeatMs / 1000,
    stopGraceMs: config.stopGraceMs,
    revocationSeconds: config.revocationMs / 1000,
    limits: {
      maxTaskBytes: limits.taskBytes,
      maxDeadlineMs: limits.deadlineMs,
      maxOutputBytes: limits.outputBytes,
      maxEvents: limits.events,
      maxEventBytes: limits.eventBytes,
      maxFrameBytes: limits.frameBytes,
    },
    capabilities: [...config.capabilities],
    results: { algorithm: 'EdDSA', canonicalization: 'RFC8785', jwks: { keys: keys.publicJwks() } },
  };
}
