import type { Defect } from '../defect.js';

/** RLY-13: nothing of it is on the wire; a direct delegation prints what a relayed one does not. */
export const keepsArtifactsBehindARelay: Defect = {
  id: 'keeps-artifacts-behind-a-relay',
  breaks: 'a coordinator whose way leads through a relay verifies the artifacts and prints none of them',
  fails: ['RLY-13'],
  bindings: ['WSS'],
  topology: 'dual-outbound',
  shownBy: ['/direct-and-relayed'],
  coordinator: (parts, { peers }) => ({
    ...parts,
    accept(received, expected, find) {
      const accepted = parts.accept(received, expected, find);
      const relayed = peers.some(({ peer, relays }) => peer === expected.executor && relays.length > 0);
      if (relayed && 'envelope' in accepted) received.task.artifacts = [];
      return accepted;
    },
  }),
};
