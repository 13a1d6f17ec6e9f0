/** Every random choice of a run: a stream derived from (seed, case, link, direction, index), the same wherever it is drawn. */
import { createHash } from 'node:crypto';

/** The address of a stream of random choices; two different addresses give unrelated streams. */
export interface SeedScope {
  seed: string;
  case: string;
  link?: string;
  direction?: string;
  index?: number;
}

export interface Random {
  /** Uniform whole number, both ends included. */
  int(least: number, most: number): number;
  /** Uniform in [0, 1), 53 bits. */
  float(): number;
  /** Throws RangeError on an empty list. */
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy. */
  shuffle<T>(items: readonly T[]): T[];
  bytes(length: number): Buffer;
  /** `count` different whole numbers of the range in ascending order; all of them when the range holds fewer. */
  sample(count: number, least: number, most: number): number[];
}

/**
 * SHA-256 in counter mode over the scope, so that no choice depends on how many another stream made before.
 * @example randomFor({ seed: '7', case: 'RPL-03/JSONRPC/direct/reset', link: 'ab', direction: 'downstream' }).int(1, 9)
 */
export function randomFor(scope: SeedScope): Random {
  // JSON keeps ('a', 'bc') and ('ab', 'c') apart.
  const key = createHash('sha256')
    .update(
      JSON.stringify([scope.seed, scope.case, scope.link ?? '', scope.direction ?? '', scope.index ?? 0]),
    )
    .digest();
  let counter = 0n;
  let block = Buffer.alloc(0);

  function bytes(length: number): Buffer {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (block.length === 0) {
        const number = Buffer.alloc(8);
        number.writeBigUInt64BE(counter++);
        block = createHash('sha256').update(key).update(number).digest();
      }
      const part = block.subarray(0, missing);
      block = block.subarray(part.length);
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  const float = () => Number(bytes(8).readBigUInt64BE() >> 11n) / 2 ** 53;

  function int(least: number, most: number): number {
    if (!Number.isSafeInteger(least) || !Number.isSafeInteger(most) || most < least) {
      throw new RangeError(`no whole number lies in ${least}..${most}`);
    }
    return least + Math.floor(float() * (most - least + 1));
  }

  function shuffle<T>(items: readonly T[]): T[] {
    const copy = [...items];
    for (let last = copy.length - 1; last > 0; last -= 1) {
      const other = int(0, last);
      [copy[last], copy[other]] = [copy[other] as T, copy[last] as T];
    }
    return copy;
  }

  function pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to pick from');
    return items[int(0, items.length - 1)] as T;
  }

  function sample(count: number, least: number, most: number): number[] {
    const size = most - least + 1;
    const chosen = new Set<number>();
    // Floyd's method: every subset equally likely, without a list of the whole range.
    for (let top = Math.max(size - count, 0); top < size; top += 1) {
      const candidate = int(0, top);
      chosen.add(chosen.has(candidate) ? top : candidate);
    }
    return [...chosen].map((offset) => least + offset).sort((a, b) => a - b);
  }

  return { int, float, pick, shuffle, bytes, sample };
}
