/** What a coordinator is made of; a planted defect is another part. */
import type { acceptResult } from '../profile/acceptance.js';
import type { ResultKey } from '../profile/envelope.js';
import type { observation } from '../profile/observation.js';
import type { Log } from '../telemetry/log.js';
import type { PeerConnection } from './connection.js';
import type { Store } from './store.js';

export interface CoordinatorParts {
  store: Store;
  /** A connection to a configured peer; `cap` goes into its tokens. */
  connect(peer: string, cap: readonly string[]): PeerConnection;
  /** Result keys that configuration trusts for this executor. */
  resultKey(peer: string, kid: string): ResultKey | undefined;
  accept: typeof acceptResult;
  /** How much of the log was seen, judged against the signed result. */
  observation: typeof observation;
  log: Log;
  /** Wall time, ms. */
  now(): number;
  /** Monotonic time, ms. */
  monotonic(): number;
  /** Resolves after `ms`, or early when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** In [0, 1): the jitter of back-off. */
  random(): number;
  mint(kind: 'request' | 'nonce'): string;
}
