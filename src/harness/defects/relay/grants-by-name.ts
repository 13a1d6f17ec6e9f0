import type { Defect } from '../defect.js';

/** RLY-14: whoever is known at all gets whatever it asks for. */
export const grantsByName: Defect = {
  id: 'grants-by-name',
  breaks: 'every configured peer may use and register every route',
  fails: ['RLY-14'],
  bindings: ['OAB'],
  topology: 'dual-outbound',
  relay: (parts) => ({ ...parts, permits: () => true }),
};
