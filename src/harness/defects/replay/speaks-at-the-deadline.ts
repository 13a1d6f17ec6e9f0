import type { Defect } from '../defect.js';

/** Skew, grace and two heartbeats of the laboratory: what profile section 6 adds to a deadline before anybody may give up. */
const ALLOWANCE_MS = 31_500;

/** RPL-19: the coordinator gives up at the deadline itself, before the executor can have said anything. */
export const speaksAtTheDeadline: Defect = {
  id: 'speaks-at-the-deadline',
  breaks: 'a task whose deadline passed while the link was down is declared unknown by the coordinator first',
  fails: ['RPL-19'],
  bindings: ['HTTP+JSON'],
  shownBy: ['/coordinator'],
  coordinator: (parts) => ({
    ...parts,
    // No back-off is that long: only the wait for a terminal event is.
    pause: (ms, signal) => parts.pause(ms > ALLOWANCE_MS ? ms - ALLOWANCE_MS : ms, signal),
  }),
};
