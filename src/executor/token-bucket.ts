/** A bucket of one second's requests per caller, refilled as time passes. */
export class TokenBuckets {
  readonly #rate: number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(rate: number) {
    this.#rate = rate;
  }

  /** 0 when the request may go on, else the ms after which one may. Callers are configured, so the map is bounded. */
  take(caller: string, now: number): number {
    const bucket = this.#buckets.get(caller) ?? { tokens: this.#rate, at: now };
    const refilled = bucket.tokens + (Math.max(0, now - bucket.at) * this.#rate) / 1000;
    bucket.tokens = Math.min(this.#rate, refilled);
    bucket.at = now;
    this.#buckets.set(caller, bucket);
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - bucket.tokens) * 1000) / this.#rate);
  }
}
