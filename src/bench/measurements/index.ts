/** Every measurement, in the order in which they run. */
import type { Measurement } from '../measurement.js';
import { appends } from './appends.js';
import { bindings } from './bindings.js';
import { creates, wholeTasks } from './creates.js';
import { fanOut } from './fan-out.js';
import { idle } from './idle.js';
import { logLength } from './log-length.js';
import { relayEventLatency, relayEventsOnHundred, relayEventsOnOne } from './relay-events.js';
import { relayIdleBetween, relayIdleStream } from './relay-idle.js';
import { relayBytes, relayRequests, relayUnary } from './relay-requests.js';
import { replay } from './replay.js';
import { statusOnHundred, statusOnOne } from './status.js';
import { stoppedReader } from './stopped-reader.js';

export const MEASUREMENTS: readonly Measurement[] = [
  creates,
  wholeTasks,
  statusOnOne,
  statusOnHundred,
  fanOut,
  appends,
  replay,
  idle,
  stoppedReader,
  logLength,
  ...bindings,
  relayUnary,
  relayEventLatency,
  relayRequests,
  relayEventsOnOne,
  relayEventsOnHundred,
  relayBytes,
  relayIdleStream,
  relayIdleBetween,
];
