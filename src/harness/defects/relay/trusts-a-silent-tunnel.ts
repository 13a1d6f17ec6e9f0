import type { Defect } from '../defect.js';

const PATIENCE_MS = 6000;

/** RLY-02: a ping that nothing answers is waited for beyond its time, while the route leads nowhere. */
export const trustsASilentTunnel: Defect = {
  id: 'trusts-a-silent-tunnel',
  breaks: 'an executor holds on to a tunnel that has been silent for longer than its configuration allows',
  fails: ['RLY-02'],
  bindings: ['JSONRPC'],
  topology: 'dual-outbound',
  executor: (parts) => ({
    ...parts,
    openTunnel: (options) =>
      parts.openTunnel({ ...options, liveness: { ...options.liveness, pongMs: PATIENCE_MS } }),
  }),
};
