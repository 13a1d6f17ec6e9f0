/** What an honest executor that has the profile says of itself: its card, or its answer to `describe`. */
import { EXT } from '../../profile/names.js';
import type { Json } from '../wire/probe.js';

export const HEARTBEAT_SECONDS = 0.25;
const CURSOR = { retentionSeconds: 3600 };
const PARAMS = {
  maxDepth: 1,
  idempotency: { windowSeconds: 7200 },
  heartbeatSeconds: HEARTBEAT_SECONDS,
  stopGraceMs: 1000,
  revocationSeconds: 1,
  limits: {
    maxTaskBytes: 65_536,
    maxDeadlineMs: 3_600_000,
    maxOutputBytes: 1_048_576,
    maxEvents: 100_000,
    maxEventBytes: 65_536,
    maxFrameBytes: 4_194_304,
  },
  capabilities: ['repo:read'],
  results: { algorithm: 'EdDSA', canonicalization: 'RFC8785', jwks: { keys: [] } },
};

export function honestCard(url: string, protocolBinding: string): Json {
  return {
    name: 'fake',
    description: 'the harness',
    version: '1',
    supportedInterfaces: [{ url, protocolBinding, protocolVersion: '1.0' }],
    capabilities: {
      streaming: true,
      extensions: [
        {
          uri: EXT,
          required: true,
          params: { ...PARAMS, cursor: { serviceParameter: 'OAB-Cursor', ...CURSOR } },
        },
      ],
    },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'delegate', name: 'd', description: 'd', tags: ['d'] }],
  };
}

/** The same without a card. */
export function honestDescription(peer: string): Json {
  return { protocol_version: 1, peer, version: '1', params: { ...PARAMS, cursor: CURSOR } };
}
