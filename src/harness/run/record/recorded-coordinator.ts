/** A coordinator subject whose declared output is kept and checked: its own rules always, its events where a real executor spoke. */
import type { Canaries } from '../../checkers/canaries.js';
import { coordinatorLines } from '../../checkers/coordinator-lines.js';
import { type Report, reading } from '../../checkers/finding.js';
import type { SubjectHistory } from '../../checkers/subject-history.js';
import type { CoordinatorSubject, Job, JobRun } from '../../subjects/coordinator-subject.js';
import type { Json } from '../../wire/probe.js';

interface Run {
  action: string;
  job: Job;
  run: JobRun;
  /** The executor's history; none when the harness itself played it. */
  history: SubjectHistory | undefined;
}

export class RecordedCoordinator implements CoordinatorSubject {
  readonly #subject: CoordinatorSubject;
  readonly #act: (action: string, requestId: string) => void;
  readonly #canaries: Canaries;
  readonly #report: Report;
  readonly #historyAt: (connect: string) => SubjectHistory | undefined;
  readonly #runs: Run[] = [];

  constructor(
    subject: CoordinatorSubject,
    act: (action: string, requestId: string) => void,
    canaries: Canaries,
    report: Report,
    historyAt: (connect: string) => SubjectHistory | undefined,
  ) {
    this.#subject = subject;
    this.#act = act;
    this.#canaries = canaries;
    this.#report = report;
    this.#historyAt = historyAt;
  }

  run(...[action, job, ...more]: Parameters<CoordinatorSubject['run']>): JobRun {
    this.#canaries.sent(job.caller, job.request.task);
    this.#act(action, job.request.request_id);
    // Now: an executor that is restarted listens elsewhere.
    const history = this.#historyAt(job.executor.connect);
    history?.sent(job.caller, job.request.request_id, job.request.task);
    const run = this.#subject.run(action, job, ...more);
    this.#runs.push({ action, job, run, history });
    return run;
  }

  async finish(): Promise<void> {
    for (const { action, job, run, history } of this.#runs) {
      const where = `${action} of ${job.request.request_id}`;
      this.#canaries.received([job.caller], where, JSON.stringify(run.lines), this.#report);
      if (history !== undefined)
        for (const line of run.lines) reading(this.#report, where, () => told(history, job, where, line));
    }
    const jobs = new Map(this.#runs.map(({ job }) => [job.request.request_id, job]));
    for (const [id, job] of jobs) {
      const runs = this.#runs.filter((one) => one.job.request.request_id === id);
      await coordinatorLines(
        runs.map(({ action, run }) => ({ action, lines: run.lines })),
        {
          ...job.request,
          resultKeys: job.trusted_results,
          forged: runs.some(({ history }) => history === undefined),
        },
        this.#report,
      );
    }
  }
}

/** What the coordinator was told by the executor is the executor's word, at one remove. */
function told(history: SubjectHistory, { caller, request }: Job, where: string, line: Json): void {
  const session = `the coordinator’s ${where}`;
  const taskId = String(line.task_id);
  const asked = {
    caller,
    requestId: request.request_id,
    digest: undefined,
    capabilities: request.capabilities,
    cap: undefined,
  };
  if (line.type === 'accepted') history.created(asked, { id: taskId }, performance.now());
  if (line.type === 'event')
    history.event(
      session,
      taskId,
      { sequence: Number(line.sequence), cursor: String(line.cursor) },
      line.event as Json,
    );
  if (line.type === 'result' && line.verified === true)
    history.envelope(session, taskId, line.envelope as Json);
}
