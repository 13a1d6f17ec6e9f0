import type { Defect } from '../defect.js';

/** RPL-17: the coordinator never compares its own chain with the one that was signed. */
export const takesAnyChain: Defect = {
  id: 'takes-any-chain',
  breaks: 'a log that contradicts the signed head passes for the whole log',
  fails: ['RPL-17', 'PRF-13'],
  bindings: ['JSONRPC'],
  shownBy: ['/binding'],
  coordinator: (parts) => ({ ...parts, observation: () => 'complete' }),
};
