/** The one interface of the stand-in's toxics, after Toxiproxy's documented behaviour. */
export interface Piece {
  data: Buffer;
  /** When it was read, performance.now(). */
  at: number;
}

/** What a toxic may do to the direction of the connection that it sits on. */
export interface Flow {
  /** Resolves after `ms`, or at once when the toxic is removed or the connection ends. */
  pause(ms: number): Promise<void>;
  /** Closes the connection: politely, or with a reset. */
  close(how: 'fin' | 'reset'): void;
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
  /** Called once when the connection begins, or when the toxic is put on it. */
  start?(attributes: Readonly<Record<string, number>>, flow: Flow): void;
  /** Awaited before the sender's end is passed on. */
  end?(attributes: Readonly<Record<string, number>>, flow: Flow): Promise<void>;
  /** Removing it closes the connection (Toxiproxy's timeout does so). */
  readonly removalCloses?: boolean;
}
