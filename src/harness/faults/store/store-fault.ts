/** The one interface of every fault of a store: made from outside the subject's process, seen to hold, cleared, seen to be gone. */

/** `ok`: no fault. The names are those of the `store` hook. */
export type StoreState = 'full' | 'readonly' | 'slow' | 'lost' | 'ok';

/** The store under a running subject. */
export interface StoreTarget {
  /** Its SQLite database. */
  file: string;
  /** The process that has it open, as it is now. */
  pid(): number;
}

export interface StoreFault {
  /** Throws when the means for it are not there. */
  arm(): Promise<void>;
  /** Is the fault seen to hold, by somebody other than the subject? May be asked again. Never throws. */
  verify(): Promise<boolean>;
  clear(): Promise<void>;
  /** Does the store take writes again, as somebody other than the subject sees it? Never throws. */
  gone(): Promise<boolean>;
}

export interface StoreFaultKind {
  readonly name: Exclude<StoreState, 'ok'>;
  /** What is done to the store, and what the subject meets. */
  readonly description: string;
  create(target: StoreTarget): StoreFault;
}
