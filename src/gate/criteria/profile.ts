/** The Profile gate: thin, negotiable, rejectable, and authority that fails closed. */
import type { Criterion } from '../criterion.js';

type Row = Omit<Criterion, 'gate'>;

const rows: Row[] = [
  {
    id: 'PRF-01',
    statement: 'The profile is thin, counted from the published schemas, the live card and captured traffic.',
    threshold:
      'extensions 1; new methods, endpoints, enum values, error codes 0; service parameters ≤ 1; required request members ≤ 10; required result members ≤ 17; nothing grows against the baseline without a decision page',
    kind: 'wire',
    cells: '1',
    subject: 'executor',
    sources: ['O-21', 'O-77', 'O-78', 'O-79', 'O-80', 'O-81'],
  },
  {
    id: 'PRF-02',
    statement:
      'Negotiable: activated per request and echoed; without it, transcripts equal plain A2A and hold no key of the extension.',
    kind: 'wire',
    cells: 'AD',
    subject: 'executor',
    sources: ['O-26', 'O-79'],
  },
  {
    id: 'PRF-03',
    statement:
      'Rejectable: a client that does not negotiate is refused on all eleven operations without a state change; a peer without the extension is refused before anything is sent.',
    kind: 'wire',
    cells: 'A',
    subject: 'pair',
    sources: ['O-25', 'O-55'],
  },
  {
    id: 'PRF-04',
    statement: 'No fallback to another version of the extension, in either direction.',
    kind: 'wire',
    cells: 'AD',
    subject: 'pair',
    sources: ['A2A 4.6.3'],
  },
  {
    id: 'PRF-05',
    statement:
      'The core lifecycle is intact: terminal finality, subscribe on a terminal task, first frame, order, cancel, get, list.',
    kind: 'wire',
    cells: 'A',
    subject: 'executor',
    sources: ['O-57', 'O-58'],
  },
  {
    id: 'PRF-06',
    statement:
      'Every object on the wire is valid A2A 1.0; stripped of the extension it is a complete A2A exchange that the stock client reads.',
    kind: 'wire',
    cells: 'AD',
    subject: 'executor',
    sources: ['O-57'],
  },
  {
    id: 'PRF-07',
    statement:
      'Authority: with five policies drawn at random on both sides the effective set, the permission answers and the tool calls equal the model’s intersection, and widening is refused.',
    kind: 'hook',
    cells: '1',
    subject: 'pair',
    sources: ['O-27', 'O-34', 'O-107'],
  },
  {
    id: 'PRF-08',
    statement: 'An empty intersection is denied, and emptying an allow-list denies.',
    kind: 'hook',
    cells: '1',
    subject: 'pair',
    sources: ['O-28'],
  },
  {
    id: 'PRF-09',
    statement:
      'No credential, session, environment, host path or tool handle passes, in any metadata object at any depth.',
    kind: 'wire',
    cells: 'D',
    subject: 'executor',
    sources: ['O-29'],
  },
  {
    id: 'PRF-10',
    statement: 'Depth one: every other depth is refused; a delegated session reaches no coordinator.',
    kind: 'hook',
    cells: 'D',
    subject: 'pair',
    sources: ['O-30', 'O-105'],
  },
  {
    id: 'PRF-11',
    statement:
      'The idempotency and nonce truth table holds: sequential, concurrent, after the terminal event, a restart and the window, and across peers.',
    kind: 'wire',
    cells: 'D',
    subject: 'executor',
    sources: ['O-36', 'O-37', 'O-38', 'O-39'],
  },
  {
    id: 'PRF-12',
    statement:
      'completed, failed, cancelled, expired, unknown and rejected are reachable, distinguishable at core and profile level, and never converted by either side.',
    kind: 'wire',
    cells: 'all',
    subject: 'pair',
    sources: ['O-46', 'O-47', 'O-48', 'O-145'],
  },
  {
    id: 'PRF-13',
    statement:
      'The signed result verifies with a stock JOSE library; every changed member, swapped key, algorithm trick, wrong request, wrong task and injected artifact is refused for its reason.',
    kind: 'wire',
    cells: 'D',
    subject: 'pair',
    sources: ['O-49', 'O-50', 'O-51'],
  },
  {
    id: 'PRF-14',
    statement:
      'Ownership: an owner claim in a request is refused; a derivative has a new id, its own owner and its provenance.',
    kind: 'wire',
    cells: 'D',
    subject: 'pair',
    sources: ['O-52', 'O-132', 'O-133'],
  },
  {
    id: 'PRF-15',
    statement:
      'Nothing runs before reservation and audit are committed, under each store fault, at admission and in mid-task.',
    kind: 'hook',
    cells: '1',
    subject: 'executor',
    sources: ['O-141', 'O-142'],
  },
  {
    id: 'PRF-16',
    statement: 'Audit: one readable redacted record per decision, in order, chained, its head signed.',
    kind: 'inside',
    cells: '1',
    subject: 'executor',
    sources: ['O-54', 'O-127'],
  },
  {
    id: 'PRF-17',
    statement:
      'Limits: saturation is answered at once, capacity returns to zero after every outcome, ordinary sessions beside it stay fast, refusals do not grow the journal beyond the quota.',
    threshold: 'p50 of an ordinary session ≤ 1.5 × idle',
    kind: 'hook',
    cells: 'D',
    subject: 'executor',
    sources: ['O-106', 'O-123'],
  },
  {
    id: 'PRF-18',
    statement:
      'Child isolation: the broker’s keys, tokens, configuration, journal, environment and descriptors are not reachable from the agent.',
    kind: 'inside',
    cells: '1',
    subject: 'executor',
    sources: ['O-29', 'O-129'],
  },
  {
    id: 'PRF-19',
    statement:
      'Read-only: each write kind is denied; a write without asking is prevented, or the outcome is not completed and the effect is listed.',
    kind: 'hook',
    cells: 'D',
    subject: 'executor',
    sources: ['O-35'],
  },
  {
    id: 'PRF-20',
    statement:
      'Deadline, runtime and output budget are enforced by the callee, and a retry extends none of them.',
    kind: 'wire',
    cells: 'D',
    subject: 'executor',
    sources: ['O-32', 'O-33'],
  },
  {
    id: 'PRF-21',
    statement:
      'Unknown, expired, wrong-audience, wrongly signed and revoked callers get no session, no task and no hint of why.',
    kind: 'wire',
    cells: 'D',
    subject: 'executor',
    sources: ['O-95', 'O-96'],
  },
  {
    id: 'PRF-22',
    statement: 'Each binding’s normalised transcript equals the one that the scenario implies.',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['O-20', 'A2A 5.1'],
  },
  {
    id: 'PRF-23',
    statement:
      'The user story: an agent delegates through the tool, has the id at once, answers another prompt meanwhile and uses the verified result.',
    kind: 'inside',
    cells: '1',
    subject: 'pair',
    sources: ['O-1', 'O-2', 'O-15', 'O-16', 'O-17', 'O-18', 'O-19', 'O-100'],
  },
  {
    id: 'PRF-24',
    statement:
      'Each output of the coordinator equals the signed envelope in executor, capabilities, side effects and owners; a changed task_path touches nothing.',
    kind: 'inside',
    cells: '1',
    subject: 'coordinator',
    sources: ['O-85', 'O-86', 'O-87', 'O-88', 'O-89', 'O-90', 'O-91', 'O-92', 'O-93', 'O-94', 'O-131'],
  },
  {
    id: 'PRF-25',
    statement:
      'Bounds on task, nonce, capabilities, nesting and frame: at the limit accepted, above it refused without a state change.',
    kind: 'wire',
    cells: 'D',
    subject: 'executor',
    sources: ['O-31'],
  },
  {
    id: 'PRF-26',
    statement:
      'Every recorded history goes SUBMITTED, WORKING, one terminal, with REJECTED only from SUBMITTED; sequence and state are monotone.',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['O-143'],
  },
  {
    id: 'PRF-27',
    statement: 'A valid token, or a signed card, without the extension is refused.',
    kind: 'wire',
    cells: 'AD',
    subject: 'pair',
    sources: ['O-56'],
  },
  {
    id: 'PRF-28',
    statement: 'No ACP method name and no ACP session id in any capture between the brokers.',
    kind: 'hook',
    cells: 'D',
    subject: 'pair',
    sources: ['O-3'],
  },
  {
    id: 'PRF-29',
    statement: 'side_effects equals the agent’s ledger, its first 128 entries and a truncated mark beyond.',
    kind: 'wire',
    cells: 'D',
    subject: 'executor',
    sources: ['O-53'],
  },
];

export const profile: readonly Criterion[] = rows.map((row) => ({ ...row, gate: 'profile' }));
