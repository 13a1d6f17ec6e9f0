/** In which order the candidates are considered: standard bindings first, and of these the faster where it is so throughout (O-155). */
import { z } from 'zod';
import type { BindingName } from '../profile/names.js';

const positive = z.number().positive();

/** A Relay measurement as a ratio to the baseline's, with its 95 % interval, as it stands among the verdict's measurements. */
export const relayRatio = z.looseObject({
  /** Address of the case that measured it: `RLY-02/HTTP+JSON/direct/reconnect`. */
  case: z.string().regex(/^RLY-\d\d\/[^/]+\/[^/]+\/./),
  name: z.string(),
  better: z.enum(['lower', 'higher']),
  to_baseline: z.strictObject({ ratio: positive, low: positive, high: positive }),
});
export type RelayRatio = z.infer<typeof relayRatio>;

const USUAL: readonly BindingName[] = ['JSONRPC', 'HTTP+JSON', 'WSS'];
const SWAPPED: readonly BindingName[] = ['HTTP+JSON', 'JSONRPC', 'WSS'];
/** How much better the other one has to be, beyond both intervals. */
const MARGIN = 0.1;

/** HTTP+JSON comes first where everything measured of either was measured of both, and all of it favours HTTP+JSON by 10 %. */
export function walkOrder(measurements: readonly Record<string, unknown>[]): readonly BindingName[] {
  const usual = new Map<string, RelayRatio>();
  const other = new Map<string, RelayRatio>();
  for (const measurement of measurements) {
    const { data: one } = relayRatio.safeParse(measurement);
    if (one === undefined) continue;
    const [criterion, binding, ...where] = one.case.split('/');
    const what = JSON.stringify([criterion, where, one.name]);
    if (binding === 'JSONRPC') usual.set(what, one);
    else if (binding === 'HTTP+JSON') other.set(what, one);
  }
  const both = new Set([...usual.keys(), ...other.keys()]);
  const swap = both.size > 0 && [...both].every((what) => favours(other.get(what), usual.get(what)));
  return swap ? SWAPPED : USUAL;
}

/** Whether even the worst that `one` may be is better than the best that `than` may be, by the margin. */
function favours(one: RelayRatio | undefined, than: RelayRatio | undefined): boolean {
  if (one === undefined || than === undefined || one.better !== than.better) return false;
  return one.better === 'lower'
    ? one.to_baseline.high <= than.to_baseline.low * (1 - MARGIN)
    : one.to_baseline.low >= than.to_baseline.high * (1 + MARGIN);
}
