/**
 * What one case's links, probes and coordinators received, each attributed to the subject that said it, and the history
 * checkers over all of it. What the harness itself forged (a fake executor, a hop that alters) is nobody's word and is
 * not recorded: only the subject's own address and the links that the case put in front of it count.
 */
import { Canaries } from '../../checkers/canaries.js';
import { type Finding, Findings } from '../../checkers/finding.js';
import { SubjectHistory } from '../../checkers/subject-history.js';
import type { Address, Link } from '../../lab/ports.js';
import type { CoordinatorSubject } from '../../subjects/coordinator-subject.js';
import type { ExecutorSubject } from '../../subjects/executor-subject.js';
import { Schedule } from '../schedule.js';
import { Exchanges } from './exchanges.js';
import { RecordedCoordinator } from './recorded-coordinator.js';
import { recordedProbe } from './recorded-probe.js';
import { readLink } from './tap-reader.js';

interface Attributed {
  subject: ExecutorSubject;
  recorded: ExecutorSubject;
  history: SubjectHistory;
  links: Link[];
}

export class Recorder {
  readonly canaries: Canaries;
  readonly #findings = new Findings();
  readonly #executors: Attributed[] = [];
  readonly #coordinators: RecordedCoordinator[] = [];
  /** Streams that nobody has ended yet, each as the act of reading it. */
  readonly #open = new Set<() => void>();
  readonly #schedule: Schedule;
  readonly exchanges = new Exchanges();
  /** Every link of the case in front of a subject. */
  readonly links: Link[] = [];

  /** `canaries` is shared by all cases of a run, as the executors are; what is done to subjects goes into `schedule`. */
  constructor(canaries = new Canaries(), schedule = new Schedule()) {
    this.canaries = canaries;
    this.#schedule = schedule;
  }

  /** The same subject, whose probes are recorded from now on. */
  executor(subject: ExecutorSubject): ExecutorSubject {
    const known = this.#of(subject);
    if (known !== undefined) return known.recorded;
    const name = `executor ${this.#executors.length + 1} (${subject.peer})`;
    const report = this.#findings.for(name);
    const names = { name, peer: subject.peer, windowMs: subject.settings.windowMs };
    const history = new SubjectHistory(names, report, this.canaries);
    const attributed: Attributed = { subject, recorded: subject, history, links: [] };
    attributed.recorded = {
      ...this.#schedule.subject(name, subject),
      probe: (...args) =>
        recordedProbe(subject.probe(...args), {
          history,
          report,
          canaries: this.canaries,
          open: this.#open,
          exchanges: this.exchanges,
          attributed: (via) => via === undefined || this.#isOf(attributed, via),
        }),
    };
    this.#executors.push(attributed);
    return attributed.recorded;
  }

  /** A link in front of this subject and nothing in between: what passes it is the subject's word. */
  link(subject: ExecutorSubject, link: Link): void {
    this.#of(subject)?.links.push(link);
    this.links.push(link);
    this.#schedule.watch(link);
  }

  coordinator(name: string, subject: CoordinatorSubject): CoordinatorSubject {
    const act = (action: string, requestId: string) => this.#schedule.add(name, action, requestId);
    const recorded = new RecordedCoordinator(
      subject,
      act,
      this.canaries,
      this.#findings.for(name),
      (connect) => {
        const at = connect.lastIndexOf(':');
        const address = { host: connect.slice(0, at), port: Number(connect.slice(at + 1)) };
        return this.#executors.find((one) => this.#isOf(one, address))?.history;
      },
    );
    this.#coordinators.push(recorded);
    return recorded;
  }

  /** Everything that the checkers find in what was recorded until now; to be asked once, while the case's files are there. */
  async findings(): Promise<readonly Finding[]> {
    for (const read of this.#open) read();
    for (const { history, links, subject } of this.#executors) {
      const report = this.#findings.for(history.names.name);
      for (const link of links) readLink(link, history, report, this.canaries, subject.peer);
    }
    for (const coordinator of this.#coordinators) await coordinator.finish();
    for (const { history, subject } of this.#executors)
      history.finish(subject.hooks.has('scripted-agent') ? await subject.holds.ledger() : []);
    return this.#findings.all;
  }

  #of(subject: ExecutorSubject): Attributed | undefined {
    return this.#executors.find((one) => one.subject === subject || one.recorded === subject);
  }

  #isOf({ subject, links }: Attributed, { host, port }: Address): boolean {
    return [subject.address(), ...links.map(({ address }) => address)].some(
      (own) => own.host === host && own.port === port,
    );
  }
}
