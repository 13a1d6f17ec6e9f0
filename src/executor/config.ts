/** What the executor is configured with, as plain values: bytes and milliseconds. */
export interface ExecutorConfig {
  /** This executor's peer id. */
  peer: string;
  publicUrl: string;
  version: string;
  /** false only for core conformance runs: the extension is offered, not demanded. */
  required: boolean;
  /** The deployment limit: what may ever be effective here. */
  capabilities: readonly string[];
  /** Deny by default: a caller that is not listed does not exist. `capabilities` is policy B. */
  peers: readonly { peer: string; capabilities: readonly string[]; maxRunning: number }[];
  limits: {
    running: number;
    taskBytes: number;
    deadlineMs: number;
    outputBytes: number;
    eventBytes: number;
    events: number;
    frameBytes: number;
    /** Durable rejected tasks per caller. */
    rejected: number;
    /** Requests per second and caller. */
    rate: number;
    clockSkewMs: number;
  };
  windowMs: number;
  heartbeatMs: number;
  retentionMs: number;
  stopGraceMs: number;
  revocationMs: number;
}
