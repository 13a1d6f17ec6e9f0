/**
 * How long a coordinator may take from the moment a link works again to its next event, of what its subjects are
 * configured with: the back-off step that each side which has to dial again can have come to, the time in which a
 * silent connection is found dead, and four round trips.
 */
import type { Backoff, ExecutorSettings } from '../../src/harness/subjects/executor-subject.js';

/** A stream without a byte for so many heartbeats is dead (profile section 4). */
const DEAD_AFTER = 2.5;
const ROUND_TRIPS = 4;

export interface Break {
  /** Which side has to dial again: the coordinator alone, or the executor's tunnel and then the coordinator. */
  link: 'coordinator' | 'executor';
  silent: boolean;
  /** From the moment the connections were lost to the one in which the link worked again, ms. */
  outageMs: number;
}

/** The longest step of a back-off that has been at it for so long: before step k lie at least half of all steps below it. */
export function stepAfter({ floorMs, ceilingMs }: Backoff, outageMs: number): number {
  let step = floorMs;
  for (let waited = floorMs / 2; waited <= outageMs && step < ceilingMs; waited += step / 2) step *= 2;
  return Math.min(step, ceilingMs);
}

/** `roundTripMs` is that of a whole exchange over a connection of its own. */
export function boundOf(
  { link, silent, outageMs }: Break,
  coordinator: Backoff,
  { heartbeatMs, ping, reconnect }: ExecutorSettings,
  roundTripMs: number,
): { detectionMs: number; stepMs: number; boundMs: number } {
  const tunnel = link === 'executor';
  const unheard = DEAD_AFTER * heartbeatMs;
  const unanswered = tunnel ? ping.intervalMs + ping.timeoutMs : 0;
  const detectionMs = silent ? Math.max(unheard, unanswered) : 0;
  const tunnelStep = tunnel ? stepAfter(reconnect, outageMs) : 0;
  // Until the tunnel stands the coordinator tries in vain, and its own step grows.
  const stepMs = tunnelStep + stepAfter(coordinator, outageMs + tunnelStep + (tunnel ? detectionMs : 0));
  return { detectionMs, stepMs, boundMs: detectionMs + stepMs + ROUND_TRIPS * roundTripMs };
}
