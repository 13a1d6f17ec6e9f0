/** What a case really did to its subjects, in order: cuts, faults, hold points, kills. Bounded; goes into the failure capsule. */
import type { ArmedCut, CutPlan, Link } from '../lab/ports.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';

const MOST = 1000;

export interface Step {
  /** Milliseconds since the case began. */
  at_ms: number;
  /** Link, script or subject. */
  on: string;
  /** `cut`, `toxic latency`, `hold reached`, `kill`, … */
  what: string;
  detail?: unknown;
}

export class Schedule {
  readonly #began = performance.now();
  readonly #steps: (Step & { cut?: ArmedCut })[] = [];

  /** The steps so far, each cut with what became of it. */
  get steps(): Step[] {
    return this.#steps.map(({ cut, ...step }) =>
      cut === undefined ? step : { ...step, detail: { plan: step.detail, fell: cut.report ?? null } },
    );
  }

  add(on: string, what: string, detail?: unknown): void {
    this.#push({ on, what, ...(detail === undefined ? {} : { detail }) });
  }

  /** From now on what is armed on this link is a step. */
  watch(link: Link): void {
    const { name, tap } = link;
    const { arm } = tap;
    tap.arm = (plan, connection) => {
      const cut = arm.call(tap, plan, connection);
      this.#push({ on: name, what: 'cut', detail: printed(plan, connection), cut });
      return cut;
    };
    const proxy = link.proxy.bind(link);
    const watched = new WeakSet<object>();
    link.proxy = async () => {
      const made = await proxy();
      if (watched.has(made)) return made;
      watched.add(made);
      const { addToxic, enable } = made;
      made.addToxic = (spec) => {
        this.add(name, `toxic ${spec.type}`, spec);
        return addToxic.call(made, spec);
      };
      made.enable = (enabled) => {
        this.add(name, enabled ? 'up' : 'down');
        return enable.call(made, enabled);
      };
      return made;
    };
  }

  /** The same subject; what is done to it, and where its agent waits, are steps. */
  subject(name: string, subject: ExecutorSubject): ExecutorSubject {
    const done = (what: string, act: () => Promise<void>) => () => {
      this.add(name, what);
      return act();
    };
    const { holds } = subject;
    return {
      ...subject,
      kill: done('kill', () => subject.kill()),
      start: done('start', () => subject.start()),
      stop: done('stop', () => subject.stop()),
      store: (state) => {
        this.add(name, `store ${state}`);
        return subject.store(state);
      },
      holds: {
        ...holds,
        waiting: async (script, hold, deadlineMs) => {
          await holds.waiting(script, hold, deadlineMs);
          this.add(script, 'hold reached', hold);
        },
        release: (script, hold) => {
          this.add(script, 'hold released', hold);
          return holds.release(script, hold);
        },
      },
    };
  }

  #push(step: Omit<Step, 'at_ms'> & { cut?: ArmedCut }): void {
    if (this.#steps.length < MOST)
      this.#steps.push({ at_ms: Math.round(performance.now() - this.#began), ...step });
  }
}

/** A framer that a case wrote itself has no name. */
function printed({ kind, direction, at }: CutPlan, connection: number | 'next' = 'next'): unknown {
  const where =
    at !== 'now' && 'frame' in at && typeof at.framer !== 'string' ? { ...at, framer: 'of the case' } : at;
  return { kind, direction, at: where, connection };
}
