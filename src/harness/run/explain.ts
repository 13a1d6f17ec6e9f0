/** What is done about a failed case: its smallest schedule is looked for while there is time, and a capsule is left. */
import type { Capsule } from '../capsule/capsule.js';
import { makeCapsule } from '../capsule/make-capsule.js';
import { sameFailure } from '../capsule/same-failure.js';
import { secretsBelow } from '../capsule/secrets.js';
import { sharedInjector } from '../lab/lab.js';
import { type Attempted, attempt, type Surroundings } from './attempt.js';
import { type Evidence, NoEvidence } from './evidence.js';
import type { PlannedCase, PlannedCheck } from './plan.js';
import { shrink } from './shrink.js';
import type { Selection } from './sweeps.js';

/** A reason often begins with the point at which the case failed, and then that one is tried first. */
function isNamed(point: unknown, reason: string): boolean {
  return typeof point === 'string' && reason.startsWith(`${point}: `);
}

export class ExplainFailures {
  readonly #surroundings: Surroundings;
  #leftMs: number;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#leftMs = surroundings.options.shrink?.runMs ?? 0;
  }

  /** Adds the keys that lie in these folders: no capsule may hold one. */
  secretsIn(folders: readonly string[], secrets: Set<string>): void {
    for (const secret of secretsBelow(folders)) secrets.add(secret);
  }

  /** Writes `capsule.json` among the evidence. */
  async explain(
    check: PlannedCheck,
    one: PlannedCase,
    failed: Attempted,
    evidence: Evidence,
    secrets: Set<string>,
  ): Promise<void> {
    const { options } = this.#surroundings;
    const { smallest, shrunk } = await this.#smallest(check, one, failed, secrets);
    const injector = await sharedInjector.used();
    const capsule = makeCapsule({
      case: one.id,
      seed: options.seed,
      defect: options.defect,
      reason: failed.reason ?? '',
      first: failed,
      smallest,
      shrunk,
      injector: injector === undefined ? 'none' : `${injector.kind} ${injector.version}`,
      secrets,
    });
    evidence.write('capsule.json', capsule);
  }

  /** Leaves points out of one sweep after the other, as long as what is left fails in the same way. */
  async #smallest(
    check: PlannedCheck,
    one: PlannedCase,
    failed: Attempted,
    secrets: Set<string>,
  ): Promise<{ smallest: Attempted; shrunk: Capsule['shrunk'] }> {
    const sweeps = failed.sweeps.filter(({ points }) => points.length > 1);
    const budget = Math.min(this.#leftMs, this.#surroundings.options.shrink?.caseMs ?? 0);
    if (sweeps.length === 0 || budget <= 0) return { smallest: failed, shrunk: null };
    const began = performance.now();
    const left = () => budget - (performance.now() - began);
    let smallest = failed;
    let selection: Selection = Object.fromEntries(
      failed.sweeps.map(({ name, points }) => [name, points.map(({ index }) => index)]),
    );
    let tests = 0;
    let complete = true;
    for (const { name, points } of sweeps) {
      const fails = async (part: number[]): Promise<boolean | undefined> => {
        const deadlineMs = Math.min(one.spec.deadlineMs, left());
        if (deadlineMs <= 0) return undefined;
        tests += 1;
        const again = await attempt(check, one, this.#surroundings, {
          evidence: new NoEvidence(),
          selection: { ...selection, [name]: part },
          repeat: this.#surroundings.again(),
          deadlineMs,
          failed: (folders) => this.secretsIn(folders, secrets),
        });
        // Our time was out, not its own: nothing is known of this part.
        if (left() <= 0 && deadlineMs < one.spec.deadlineMs) return undefined;
        const same = again.outcome === 'failed' && sameFailure(again.reason ?? '', failed.reason ?? '');
        if (same) smallest = again;
        return same;
      };
      // Beside another sweep, all of this one may be beside the point.
      if (sweeps.length > 1 && (await fails([])) === true) {
        selection = { ...selection, [name]: [] };
        continue;
      }
      const named = points.find(({ point }) => isNamed(point, failed.reason ?? ''));
      const alone = named !== undefined && (await fails([named.index])) === true;
      const result = alone
        ? { points: [named.index], complete: true }
        : await shrink(
            points.map(({ index }) => index),
            fails,
          );
      selection = { ...selection, [name]: result.points };
      complete &&= result.complete;
    }
    this.#leftMs -= performance.now() - began;
    const size = (ran: Attempted) => ran.sweeps.reduce((sum, { points }) => sum + points.length, 0);
    return {
      smallest,
      shrunk: {
        from: size(failed),
        to: size(smallest),
        tests,
        complete,
        duration_ms: Math.round(performance.now() - began),
        reason: smallest === failed ? null : (smallest.reason ?? null),
      },
    };
  }
}
