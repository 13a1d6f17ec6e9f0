/** A planted defect: the reference peer with one part replaced, so that exactly its criteria must fail. */
import type { CoordinatorTransform } from '../../peer/coordinator.js';
import type { ExecutorPeerParts } from '../../peer/executor.js';
import type { BindingName } from '../../profile/names.js';
import type { RelayParts } from '../../relay/relay.js';
import type { Topology } from '../check.js';

export interface Defect {
  id: string;
  /** What it does wrong, in one sentence. */
  breaks: string;
  /** The criteria that must fail, and no other. */
  fails: readonly string[];
  bindings: readonly BindingName[];
  /** Names of cases that are known to show it: of their checks they run first, and the others only if these pass. */
  shownBy?: readonly string[];
  /** Labels of the points that are known to show it, in any sweep: these are tried first. */
  shownAt?: readonly string[];
  executor?: (parts: ExecutorPeerParts) => ExecutorPeerParts;
  coordinator?: CoordinatorTransform;
  relay?: (parts: RelayParts) => RelayParts;
  /** Where it shows: `direct` unless it is the relay's. */
  topology?: Topology;
}
