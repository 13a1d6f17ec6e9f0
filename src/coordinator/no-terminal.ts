/**
 * How long a terminal event is waited for: deadline + stop grace + skew + two heartbeats (profile section 6). What
 * has not come by then is a local unknown.
 */
import type { DelegationRequest } from '../profile/model.js';
import type { CoordinatorConfig } from './config.js';
import type { PeerConnection } from './connection.js';
import type { CoordinatorParts } from './parts.js';
import type { Delegation } from './store.js';

/** Where no card can be had: the profile's longest heartbeat, and the usual grace. */
const WITHOUT_CARD = { stopGraceMs: 10_000, heartbeatSeconds: 15 };
/** A peer cannot make its caller wait for ever by what its card says. */
const LONGEST_GRACE = 3_600_000;
/** Whoever comes back after the time is over still reads what the executor has. */
const TO_READ_MS = 5000;

/** Calls back once that time is over; the result stops it. `signal` ends the look at the card too. */
export function whenNoTerminal(
  config: CoordinatorConfig,
  parts: CoordinatorParts,
  connection: PeerConnection,
  delegation: Delegation,
  signal: AbortSignal,
  callback: () => void,
): () => void {
  const stop = new AbortController();
  const began = parts.monotonic();
  // Of a delegation that an earlier process began, only wall time tells how long ago that was.
  const before = Math.max(0, parts.now() - (delegation.acceptedAt ?? parts.now()));
  const { deadline_ms } = JSON.parse(delegation.request) as DelegationRequest;
  const wait = async () => {
    const { stopGraceMs, heartbeatSeconds } = await connection.describe({ signal }).then(
      ({ params }) => params,
      () => WITHOUT_CARD,
    );
    const grace = Math.min(stopGraceMs, LONGEST_GRACE) + config.clockSkewMs + 2000 * heartbeatSeconds;
    const left = Math.max(TO_READ_MS, deadline_ms + grace - before) - (parts.monotonic() - began);
    await parts.pause(Math.max(0, left), stop.signal);
    if (!stop.signal.aborted) callback();
  };
  void wait();
  return () => stop.abort();
}
