/** The port to what shapes a link by time and rate: a Toxiproxy server, or the embedded stand-in with the same API. */
import type { Address, Direction } from '../lab/ports.js';

export type ToxicType =
  | 'latency'
  | 'bandwidth'
  | 'slow_close'
  | 'timeout'
  | 'reset_peer'
  | 'slicer'
  | 'limit_data';

export interface ToxicSpec {
  type: ToxicType;
  /** Default `downstream`. */
  direction?: Direction;
  /** 0..1, default 1; drawn when the toxic starts on a connection. */
  toxicity?: number;
  /** Toxiproxy's own attribute names and units. */
  attributes: Readonly<Record<string, number>>;
}

export interface InjectorToxic {
  readonly name: string;
  readonly spec: ToxicSpec;
  /** Replaces toxicity and attributes on live connections. */
  update(change: { toxicity?: number; attributes?: Readonly<Record<string, number>> }): Promise<void>;
  remove(): Promise<void>;
}

export interface InjectorProxy {
  readonly name: string;
  readonly address: Address;
  addToxic(spec: ToxicSpec): Promise<InjectorToxic>;
  /** False closes the listener and every connection; true listens on the same port again. */
  enable(enabled: boolean): Promise<void>;
  /** Names of the toxics that the server says are there, and whether it listens. */
  state(): Promise<{ enabled: boolean; toxics: string[] }>;
  remove(): Promise<void>;
}

export interface Injector {
  /** Goes into the verdict's components. */
  readonly kind: 'toxiproxy' | 'embedded';
  readonly version: string;
  readonly url: string;
  /** Address of an echo peer behind which faults are seen to take and seen to be gone. */
  readonly echo: Address;
  createProxy(label: string, upstream: Address): Promise<InjectorProxy>;
  /** Removes every proxy that was made through it, then stops the server when it was started by us. */
  close(): Promise<void>;
}
