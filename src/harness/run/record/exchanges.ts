/** The last calls of a case's probes and what came back, for the failure capsule: bounded in number and in length. */

const MOST = 64;
/** Of one text; the capsule keeps less of it, after redaction. */
const MAX_TEXT = 16 * 1024;

export interface Exchange {
  at_ms: number;
  /** Operation, number and caller, as findings name it. */
  session: string;
  sent?: string;
  /** HTTP status, close code, or how a stream ended. */
  status: string;
  received: string;
}

export class Exchanges {
  readonly #began = performance.now();
  readonly #ring: Exchange[] = [];

  get last(): readonly Exchange[] {
    return this.#ring;
  }

  add({ session, sent, status, received }: Omit<Exchange, 'at_ms'>): void {
    this.#ring.push({
      at_ms: Math.round(performance.now() - this.#began),
      session,
      ...(sent === undefined ? {} : { sent: sent.slice(0, MAX_TEXT) }),
      status,
      received: received.slice(0, MAX_TEXT),
    });
    if (this.#ring.length > MOST) this.#ring.shift();
  }
}
