/** What servers in tests of clients declare: a heartbeat so short that silence is noticed soon. */
import type { CardParams } from '../../profile/model.js';

export const PARAMS: CardParams = {
  maxDepth: 1,
  cursor: { serviceParameter: 'OAB-Cursor', retentionSeconds: 3600 },
  idempotency: { windowSeconds: 7200 },
  heartbeatSeconds: 0.1,
  stopGraceMs: 1000,
  revocationSeconds: 1,
  limits: {
    maxTaskBytes: 65_536,
    maxDeadlineMs: 3_600_000,
    maxOutputBytes: 1_048_576,
    maxEvents: 1000,
    maxEventBytes: 65_536,
    maxFrameBytes: 4_194_304,
  },
  capabilities: ['repo:read'],
  results: { algorithm: 'EdDSA', canonicalization: 'RFC8785', jwks: { keys: [] } },
};
