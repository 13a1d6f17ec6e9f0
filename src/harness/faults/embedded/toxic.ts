/** The one interface of the stand-in's toxics, after Toxiproxy's documented behaviour. */
export interface Piece {
  data: Buffer;
  /** When it was read, performance.now(). */
  at: number;
}

/** What a toxic may do to the direction of the connection that it sits on. */
export interface Flow {
  /** Resolves with true after `ms`, or with false at once when the toxic is changed or removed, or the connection ends. */
  pause(ms: number): Promise<boolean>;
  /** Closes the receiver of this direction, and with it the connection. */
  close(): void;
  random(): number;
  /** Kept for this toxic on this connection and direction. */
  readonly memory: Record<string, number>;
}

export interface Toxic {
  readonly type: string;
  /** Attribute names with their defaults. */
  readonly attributes: Readonly<Record<string, number>>;
  /** What becomes of a piece: the pieces that go on, in order. */
  piece(piece: Piece, attributes: Readonly<Record<string, number>>, flow: Flow): AsyncIterable<Piece>;
  /** Called when the connection begins, when the toxic is put on it, and when it is changed. */
  start?(attributes: Readonly<Record<string, number>>, flow: Flow): void;
  /** Awaited before the sender's end is passed on. */
  end?(attributes: Readonly<Record<string, number>>, flow: Flow): Promise<void>;
  /** Removing it closes the connection (Toxiproxy's timeout does so). */
  readonly removalCloses?: boolean;
  /**
   * A connection that begins while it is there ends with RST, however it ends; one that was there before does not, and
   * toxicity does not matter (Toxiproxy sets SO_LINGER when a connection begins).
   */
  readonly resets?: boolean;
  /** How many pieces may wait for it; few when absent, so that the sender is held back. */
  readonly waiting?: number;
}
