/** What the coordinator is configured with, as plain values; times in ms. */
export interface CoordinatorPeer {
  peer: string;
  /** Policy A for this peer. */
  capabilities: readonly string[];
  /**
   * The channel ends at the executor itself: a pinned server key, mTLS, or loopback. Only then does a refusal of a
   * create that may have been delivered prove that nothing was (profile section 6).
   */
  endToEnd: boolean;
}

export interface CoordinatorConfig {
  /** This coordinator's peer id. */
  peer: string;
  peers: readonly CoordinatorPeer[];
  reconnect: { floorMs: number; ceilingMs: number };
  clockSkewMs: number;
}
