/** The card of an honest executor that has the profile. */
import { EXT } from '../../profile/names.js';
import type { Json } from '../wire/probe.js';

export function honestCard(url: string): Json {
  return {
    name: 'fake',
    description: 'the harness',
    version: '1',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: {
      streaming: true,
      extensions: [
        {
          uri: EXT,
          required: true,
          params: {
            maxDepth: 1,
            cursor: { serviceParameter: 'OAB-Cursor', retentionSeconds: 3600 },
            idempotency: { windowSeconds: 7200 },
            heartbeatSeconds: 0.25,
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
          },
        },
      ],
    },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'delegate', name: 'd', description: 'd', tags: ['d'] }],
  };
}
