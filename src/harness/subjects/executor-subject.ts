/** An executor as the suites meet it: the same contract for the reference and for a stranger's. */

import type { BindingName } from '../../profile/names.js';
import type { StoreState } from '../faults/store/store-fault.js';
import type { Address, Holds } from '../lab/ports.js';
import type { Hook } from '../suite.js';
import type { Identity } from '../wire/identity.js';
import type { Json, Probe } from '../wire/probe.js';
import type { RelaySubject } from './relay-subject.js';

/** A wait is half a step to a whole one; the step doubles from the floor to the ceiling, and starts anew after progress. */
export interface Backoff {
  floorMs: number;
  ceilingMs: number;
}

export interface ExecutorSettings {
  heartbeatMs: number;
  stopGraceMs: number;
  windowMs: number;
  clockSkewMs: number;
  retentionMs: number;
  /** The back-off of its tunnels to relays. */
  reconnect: Backoff;
  /** How a dead tunnel is found, at either end of it. */
  ping: { intervalMs: number; timeoutMs: number };
  /** What it speaks beside the cell's binding. */
  beside: readonly BindingName[];
  /** How many relays lead to it where it listens nowhere. */
  relays: number;
  /** Limits that a case wants other than usual, in configuration's own words. */
  limits?: Record<string, unknown>;
  /** Further arguments of the scripted agent. */
  agentArguments?: readonly string[];
  /** A file that becomes the agent's command, by `sh`: it starts the scripted agent, which is `"$@"` there. */
  agentWrapper?: string;
}

export interface ExecutorSubject {
  readonly peer: string;
  readonly url: string;
  readonly settings: ExecutorSettings;
  readonly hooks: ReadonlySet<Hook>;
  /** PEM file of the authority of its certificate, and its public key as a JWK, for whoever pins it. */
  readonly ca: string;
  readonly tlsKey: string;
  /** The relays that lead to it, where it listens nowhere; `address()` is then that of the first one, `relay`. */
  readonly relays: readonly RelaySubject[];
  readonly relay?: RelaySubject;
  /** JWKS of the keys that sign its results. */
  readonly resultKeys: string;
  /** Two callers that it has configured; `gate` also has a revoked key. */
  readonly gate: Identity;
  readonly other: Identity;
  readonly revoked: Identity;
  /** Ledger and hold points of the scripted agent behind it. */
  readonly holds: Holds;
  address(): Address;
  /** Goes through the first relay, and speaks the cell's binding, unless told otherwise. */
  probe(caller?: Identity, relay?: RelaySubject, spoken?: BindingName): Probe;
  /** SIGKILL or the like: as a crash. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Brings the store under the running process into this state. Resolves once it is seen there by somebody else;
   * throws Undetermined when it is not, or when the state before did not last.
   */
  store(state: StoreState): Promise<void>;
  /** Its own account of its decisions, one object per row, where it declares one. */
  audit?(): Promise<Json[]>;
}
