/** The Replay gate: every event is had again after any disconnect, the terminal one included, and nothing runs twice. */
import type { Criterion } from '../criterion.js';

type Row = Omit<Criterion, 'gate'>;

const rows: Row[] = [
  {
    id: 'RPL-01',
    statement:
      'An acknowledged task id is durable: after a SIGKILL right behind the acknowledgement and a restart, get, observe and cancel resolve it.',
    kind: 'hook',
    cells: 'all',
    subject: 'executor',
    sources: ['O-86', 'O-102', 'O-149'],
  },
  {
    id: 'RPL-02',
    statement:
      'Undisturbed, the first frame is the Task at n, then come n+1 to last with one terminal event at the end; with the tail from cursor 0 the union is 1 to last.',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['O-40', 'A2A 3.1.2'],
  },
  {
    id: 'RPL-03',
    statement:
      'An observation that is cut and resumed yields 1 to last, each once: at every frame boundary by reset, FIN and half-close, at 64 byte offsets inside frames, and through a black hole at 8 points.',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['O-42'],
  },
  {
    id: 'RPL-04',
    statement: 'A terminal event that was missed while disconnected is replayed with its signed result.',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['O-44', 'O-63'],
  },
  {
    id: 'RPL-05',
    statement:
      'Create, progress, cancel, disconnect before the outcome, reconnect: the recorded cancel and the outcome are replayed, with one terminal event.',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['O-61', 'O-146'],
  },
  {
    id: 'RPL-06',
    statement: 'An observer that was never connected reads everything from cursor 0 after the end.',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['O-62'],
  },
  {
    id: 'RPL-07',
    statement:
      'Of four observers one is reset, one closed, one slow and one stopped; the first sees every event, in order and in time.',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['A2A 3.5.2'],
  },
  {
    id: 'RPL-08',
    statement:
      'A cursor survives SIGKILL and restart, and where the subject has replicas a move to another one.',
    kind: 'hook',
    cells: 'all',
    subject: 'executor',
    sources: ['O-43'],
  },
  {
    id: 'RPL-09',
    statement:
      'A cursor taken on one binding resumes on another, for each ordered pair, judged by the transcript that the scenario implies.',
    kind: 'wire',
    cells: 'D',
    subject: 'executor',
    sources: ['A2A 5.1'],
  },
  {
    id: 'RPL-10',
    statement:
      'Whatever the reconnects, replays and duplicate creates, the agent is started once and prompted once.',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['O-64'],
  },
  {
    id: 'RPL-11',
    statement:
      'The effect ledger holds each effect once under the same storms and under 50 concurrent identical creates.',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['O-45', 'O-65'],
  },
  {
    id: 'RPL-12',
    statement:
      'Below the retention floor there is an explicit gap, and the terminal event and envelope are still there and verify from the floor’s head.',
    kind: 'hook',
    cells: 'D',
    subject: 'executor',
    sources: ['O-41', 'D-12'],
  },
  {
    id: 'RPL-13',
    statement:
      'A changed byte in a cursor gives CURSOR_INVALID or another position of the same task, a foreign cursor one answer; never another task’s event and never a hang.',
    kind: 'wire',
    cells: 'D',
    subject: 'executor',
    sources: ['A2A 13.1'],
  },
  {
    id: 'RPL-14',
    statement:
      'A half-open link is noticed within 2.5 heartbeats and observation resumes, without a second task.',
    kind: 'wire',
    cells: 'all',
    subject: 'coordinator',
    sources: ['O-147'],
  },
  {
    id: 'RPL-15',
    statement:
      'SIGKILL at each executor boundary gives the outcome that the profile names for it: never a second prompt, never completed by recovery, nothing from the old agent after the terminal’s commit; a replica that slept past its lease appends nothing more.',
    kind: 'hook',
    cells: 'D',
    subject: 'executor',
    sources: ['O-144'],
  },
  {
    id: 'RPL-16',
    statement:
      'SIGKILL at each coordinator boundary: one request id, byte-identical create messages, one task, one prompt, and observation goes on from the stored cursor.',
    kind: 'hook',
    cells: 'D',
    subject: 'coordinator',
    sources: ['O-148'],
  },
  {
    id: 'RPL-17',
    statement:
      'The recomputed chain equals the signed head; one event dropped, altered, swapped or injected is contradicted or refused.',
    kind: 'wire',
    cells: 'all',
    subject: 'pair',
    sources: ['profile 4'],
  },
  {
    id: 'RPL-18',
    statement:
      'When the answer to a create is lost, the retry with a byte-identical message gives the same task for as long as it is retained; conflict, nonce reuse and a stale first create are refused with zero prompts.',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['O-36', 'O-37', 'O-38', 'O-39', 'D-1'],
  },
  {
    id: 'RPL-19',
    statement:
      'A deadline that passes while disconnected is replayed as expired, or as unknown with evidence, and the coordinator does not speak first.',
    kind: 'wire',
    cells: 'D',
    subject: 'pair',
    sources: ['O-46'],
  },
  {
    id: 'RPL-20',
    statement:
      'A subscribe that races completion, attached 0 to 20 ms around the release of the last hold point, never hangs and never loses the terminal event.',
    threshold: '500 attempts',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['public reports of subscribe/completion races'],
  },
];

export const replay: readonly Criterion[] = rows.map((row) => ({ ...row, gate: 'replay' }));
