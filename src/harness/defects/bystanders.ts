/**
 * The checks that run beside a defect's own criteria: a defect must fail what it declares, and nothing else. Of the peer
 * that is defective; the others run as they always do, and their checks could only repeat what the gate itself says.
 */
import type { Defect } from './defect.js';

const EXECUTOR = ['RPL-02', 'RPL-03', 'RPL-04', 'RPL-05', 'RPL-06', 'RPL-10', 'RPL-18', 'PRF-21'] as const;
const COORDINATOR = ['RPL-16', 'RPL-17', 'PRF-13'] as const;
/** What goes through a relay, of the smallest kind. */
const RELAY = ['RPL-02', 'RPL-04', 'RPL-06', 'RLY-12', 'RLY-14'] as const;

/** Of the points of each sweep; a criterion that a defect declares is tried with more. */
export const BYSTANDER_POINTS = 2;

export function bystandersOf(defect: Pick<Defect, 'executor' | 'coordinator' | 'relay'>): readonly string[] {
  return [
    ...(defect.executor === undefined ? [] : EXECUTOR),
    ...(defect.coordinator === undefined ? [] : COORDINATOR),
    ...(defect.relay === undefined ? [] : RELAY),
  ];
}
