/** What one case works with: subjects, links, scripts, the seed's choices, and where its evidence goes. */
import { join } from 'node:path';
import type { BindingName } from '../../profile/names.js';
import { type Boundaries, openBoundaries } from '../boundaries/boundaries.js';
import {
  type Cell,
  type Measurement,
  NotExercised,
  type Topology,
  Undetermined,
  Violation,
} from '../check.js';
import type { Canaries } from '../checkers/canaries.js';
import type { Address, ArmedCut, Direction, FramerName, Lab, Link } from '../lab/ports.js';
import type { Random } from '../seed.js';
import {
  type CoordinatorSubject,
  type Job,
  type JobRequest,
  referenceCoordinator,
} from '../subjects/coordinator-subject.js';
import type { ExecutorSettings, ExecutorSubject } from '../subjects/executor-subject.js';
import { type FakeExecutor, fakeExecutor } from '../subjects/fake-executor.js';
import type { FakeParts } from '../subjects/fake-parts.js';
import { referenceExecutor } from '../subjects/reference-executor.js';
import { type RelayPair, type RelayPairOptions, relayPair } from '../subjects/relay-pair.js';
import { type WireRequest, wireRequest } from '../wire/request.js';
import type { Evidence } from './evidence.js';
import { jobFor, jobForFake } from './jobs.js';
import { Recorder } from './record/recorder.js';
import { Schedule } from './schedule.js';
import { type Chosen, type Selection, Sweeps } from './sweeps.js';

export interface Shared {
  executor(speaks?: 'all'): Promise<ExecutorSubject>;
}

export interface CaseOptions {
  /** Whose mark is whose in the whole run. */
  canaries?: Canaries | undefined;
  /** Only these points of its sweeps. */
  selection?: Selection | undefined;
  /** At most so many points of each sweep, drawn from the seed; of those that `preferred` holds for, while there are any. */
  points?: number | undefined;
  preferred?: ((point: unknown) => boolean) | undefined;
  /** How late, in ms, the host was at its worst since the case began. */
  hostLate?: () => number;
  /** So many runs of this case came before on the same shared executors. */
  repeat?: number;
}

/** Of the bindings that speak in WebSocket frames, and of those that stream over HTTP. */
function framesOf(binding: BindingName): FramerName {
  return binding === 'OAB' || binding === 'WSS' ? 'websocket' : 'sse';
}

export class CaseLab {
  readonly cell: Cell;
  readonly id: string;
  /** The name by which the scripted agent knows this case. */
  readonly scriptCase: string;
  readonly lab: Lab;
  /** What the case's probes, links and coordinators receive, for the history checkers. */
  readonly recorder: Recorder;
  /** What the case does to its subjects, in order. */
  readonly schedule = new Schedule();
  readonly sweeps: Sweeps;
  /** How late, in ms, the host was at its worst since the case began: what it took from everybody, a subject may take too. */
  readonly hostLate: () => number;
  /** What was measured, for the verdict. */
  readonly measurements: Measurement[] = [];
  attempts = 0;
  readonly #shared: Shared;
  readonly #evidence: Evidence;
  readonly #defect: string | undefined;
  #made = 0;

  constructor(
    id: string,
    cell: Cell,
    lab: Lab,
    shared: Shared,
    evidence: Evidence,
    defect: string | undefined,
    { canaries, selection, points, preferred, hostLate = () => 0, repeat = 0 }: CaseOptions = {},
  ) {
    this.id = id;
    this.cell = cell;
    // A hold point that was released in an earlier run of the case must not be open in this one.
    this.scriptCase = `${id.replace(/[^\w.-]/g, '-')}${repeat === 0 ? '' : `.again${repeat}`}`;
    this.lab = lab;
    this.hostLate = hostLate;
    this.#shared = shared;
    this.#evidence = evidence;
    this.#defect = defect;
    this.recorder = new Recorder(canaries, this.schedule);
    this.sweeps = new Sweeps(
      selection,
      points === undefined
        ? undefined
        : (name, all) => {
            const liked = all.flatMap((point, index) => (preferred?.(point) === true ? [index] : []));
            if (liked.length > 0) return liked.slice(0, points);
            return lab.random(`points of ${name}`).sample(points, 0, all.length - 1);
          },
    );
  }

  get binding(): BindingName {
    return this.cell.binding;
  }

  /** What a frame of a stream is on this binding's wire. */
  get framer(): FramerName {
    return framesOf(this.cell.binding);
  }

  /** The executor that the cases of this cell share. */
  async executor(): Promise<ExecutorSubject> {
    return this.recorder.executor(await this.#shared.executor());
  }

  /** Another that they share: it speaks every binding. */
  async executorOfAll(): Promise<ExecutorSubject> {
    return this.recorder.executor(await this.#shared.executor('all'));
  }

  /** An executor of this case alone: for crashes, counts of starts, settings, another topology, a relay that is known to be wrong. */
  async fresh(
    settings: Partial<ExecutorSettings> = {},
    { topology = this.cell.topology, relayDefect }: { topology?: Topology; relayDefect?: string } = {},
  ): Promise<ExecutorSubject> {
    this.#made += 1;
    const variant = { defect: this.#defect, relayDefect };
    return this.recorder.executor(
      await referenceExecutor(this.lab, `executor-${this.#made}`, settings, variant, {
        ...this.cell,
        topology,
      }),
    );
  }

  coordinator(): CoordinatorSubject {
    this.#made += 1;
    const name = `coordinator-${this.#made}`;
    return this.recorder.coordinator(name, referenceCoordinator(this.lab, name, { defect: this.#defect }));
  }

  /** An executor of this case alone that can be stopped at every write of its journal. */
  async stoppable(
    settings: Partial<ExecutorSettings> = {},
  ): Promise<{ executor: ExecutorSubject; boundaries: Boundaries }> {
    this.#made += 1;
    const name = `executor-${this.#made}`;
    const boundaries = openBoundaries(this.lab, join(this.lab.folder, `${name}-boundaries`));
    const variant = { defect: this.#defect, boundaries: boundaries.folder };
    const executor = await referenceExecutor(this.lab, name, settings, variant, this.cell);
    return { executor: this.recorder.executor(executor), boundaries };
  }

  /** The same of a coordinator and its store. */
  stoppableCoordinator(): { coordinator: CoordinatorSubject; boundaries: Boundaries } {
    this.#made += 1;
    const name = `coordinator-${this.#made}`;
    const boundaries = openBoundaries(this.lab, join(this.lab.folder, `${name}-boundaries`));
    const variant = { defect: this.#defect, boundaries: boundaries.folder };
    const coordinator = referenceCoordinator(this.lab, name, variant);
    return { coordinator: this.recorder.coordinator(name, coordinator), boundaries };
  }

  fake(caller: string, change: Partial<FakeParts> = {}): Promise<FakeExecutor> {
    this.#made += 1;
    return fakeExecutor(this.lab, `fake-${this.#made}`, caller, change, this.cell);
  }

  /** A relay with the harness on both sides, for what concerns the relay alone. */
  relayPair(options: RelayPairOptions = {}): Promise<RelayPair> {
    return relayPair(this.lab, this.#defect, options);
  }

  random(link = '', direction: Direction | '' = '', index = 0): Random {
    return this.lab.random(link, direction, index);
  }

  /**
   * The points of a sweep that this run tries: all of them, unless the harness looks for the smallest schedule that
   * fails or replays one. What a case draws for a point it draws before this call, so that leaving others out changes
   * nothing of it; `index` is the point's place in the whole sweep. Points are what JSON can tell.
   */
  sweep<T>(name: string, points: readonly T[]): Chosen<T>[] {
    return this.sweeps.choose(name, points);
  }

  /** A request whose task is a script of its own, marked as whoever's sends it; `part` tells several of one case apart. */
  script(
    executor: ExecutorSubject,
    part: string,
    lines: readonly string[],
    more: Record<string, unknown> = {},
  ): WireRequest {
    const mark = this.recorder.canaries.mint();
    const script = [`case: ${this.scriptId(part)}`, `mark ${mark}`, ...lines].join('\n');
    return wireRequest(executor.peer, script, more);
  }

  scriptId(part: string): string {
    return `${this.scriptCase}.${part}`;
  }

  /** A job for a coordinator subject towards the real executor; `others` are the ways to its further relays. */
  job(
    executor: ExecutorSubject,
    keyFile: string,
    request: WireRequest,
    connect: Address = executor.address(),
    others: readonly { address: Address }[] = [],
  ): Job {
    return jobFor(this.binding, executor, keyFile, request, connect, others);
  }

  /** The same towards the harness in an executor's place. */
  jobTo(fake: FakeExecutor, keyFile: string, request: JobRequest): Job {
    return jobForFake(this.binding, fake, keyFile, request);
  }

  /** In front of the executor or of its first relay, unless another is named. */
  async link(executor: ExecutorSubject, name: string, upstream: Address = executor.address()): Promise<Link> {
    const link = await this.lab.link(name, upstream);
    this.recorder.link(executor, link);
    return link;
  }

  /** A cut that did not happen as planned says nothing about the subject. */
  async took(cut: ArmedCut, what: string, deadlineMs = 10_000): Promise<void> {
    if (!(await cut.verify(deadlineMs))) throw new Undetermined(`the fault did not take: ${what}`);
  }

  /** Fails the case with what was expected and seen. */
  expect(condition: boolean, reason: string | (() => string)): void {
    if (!condition) throw new Violation(typeof reason === 'string' ? reason : reason());
  }

  /** Fails on the first thing that a checker found. */
  holds(violations: readonly string[], what: string): void {
    const [first] = violations;
    if (first !== undefined)
      throw new Violation(
        `${what}: ${first}${violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''}`,
      );
  }

  needs(executor: ExecutorSubject, ...hooks: Parameters<ExecutorSubject['hooks']['has']>[0][]): void {
    const absent = hooks.filter((hook) => !executor.hooks.has(hook));
    if (absent.length > 0) throw new NotExercised(`the subject declares no hook ${absent.join(', ')}`);
  }

  attempt(count = 1): void {
    this.attempts += count;
  }

  /** Figures that the verdict shows; `name` says what they are of. */
  measure(name: string, figures: Record<string, unknown>): void {
    this.measurements.push({ name, ...figures });
  }

  evidence(name: string, content: unknown): void {
    this.#evidence.write(name, content);
  }
}
