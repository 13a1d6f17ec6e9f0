/** The faults that a run can inject: those on links and of stores, each in a file of its own, and those of processes. */
import { bandwidth } from './bandwidth.js';
import { down } from './down.js';
import type { FaultKind } from './fault.js';
import { fin } from './fin.js';
import { halfClose } from './half-close.js';
import { latency } from './latency.js';
import { limitData } from './limit-data.js';
import { reset } from './reset.js';
import { resetPeer } from './reset-peer.js';
import { silence } from './silence.js';
import { silenceOneWay } from './silence-one-way.js';
import { slicer } from './slicer.js';
import { slowClose } from './slow-close.js';
import { storeFaults } from './store/hook.js';
import { timeout } from './timeout.js';

export const linkFaults: readonly FaultKind[] = [
  reset,
  fin,
  halfClose,
  silence,
  silenceOneWay,
  down,
  resetPeer,
  timeout,
  limitData,
  latency,
  bandwidth,
  slicer,
  slowClose,
];

/** For people: name, who does it, what it does. */
export const faults: readonly {
  name: string;
  by: 'tap' | 'toxiproxy' | 'store' | 'process';
  description: string;
}[] = [
  ...linkFaults.map(({ name, by, description }) => ({ name, by, description })),
  ...storeFaults.map(({ name, description }) => ({
    name: `store ${name}`,
    by: 'store' as const,
    description,
  })),
  {
    name: 'kill',
    by: 'process',
    description: 'SIGKILL of a peer, at a moment that the case names; then a restart',
  },
];
