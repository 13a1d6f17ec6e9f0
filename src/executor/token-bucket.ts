/** A bucket of tokens per caller, refilled as time passes. */
export class TokenBuckets {
  readonly #perSecond: number;
  readonly #capacity: number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /** `capacity` is the burst that is let through; by default what one second brings, and at least one. */
  constructor(perSecond: number, capacity = Math.max(1, perSecond)) {
    this.#perSecond = perSecond;
    this.#capacity = capacity;
  }

  /** 0 when the request may go on, else the ms after which one may. Callers are configured, so the map is bounded. */
  take(caller: string, now: number): number {
    const bucket = this.#buckets.get(caller) ?? { tokens: this.#capacity, at: now };
    const refilled = bucket.tokens + (Math.max(0, now - bucket.at) * this.#perSecond) / 1000;
    bucket.tokens = Math.min(this.#capacity, refilled);
    // A clock that is set back must not make the same time pass twice.
    bucket.at = Math.max(bucket.at, now);
    this.#buckets.set(caller, bucket);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - bucket.tokens) * 1000) / this.#perSecond);
  }
}
