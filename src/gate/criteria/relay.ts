/** The Relay gate: both topologies carry it, and the selected binding is no heavier to run than the WSS baseline. */
import type { Criterion } from '../criterion.js';

type Row = Omit<Criterion, 'gate'>;

const rows: Row[] = [
  {
    id: 'RLY-01',
    statement:
      'Connection establishment, cold and resumed, with TLS, from dial to the first byte of a unary answer.',
    threshold:
      'ratio to the baseline ≤ 1.5 or an accepted trade-off; the inner TLS round trip of a blind relay is taken off first and printed',
    kind: 'wire',
    cells: 'all',
    subject: 'pair',
    sources: ['O-68', 'O-76'],
  },
  {
    id: 'RLY-02',
    statement: 'After a cut of each link and after a relay restart the peers reconnect and nothing is lost.',
    threshold:
      'p95 from the moment the link works ≤ current back-off step (cap 5 s) + detection bound + 4 round trips',
    kind: 'wire',
    cells: 'all',
    subject: 'pair',
    sources: ['O-69'],
  },
  {
    id: 'RLY-03',
    statement:
      'Backpressure: a reader at 10 KiB/s and 100 that stop, over 200 MB in tasks of maxOutputBytes; nothing is dropped silently.',
    threshold:
      'growth ≤ 64 MiB per process and ≤ 1 MiB per further stalled reader; a healthy pair’s p95 ≤ 2 × its own',
    kind: 'wire',
    cells: 'all',
    subject: 'pair',
    sources: ['O-70'],
  },
  {
    id: 'RLY-04',
    statement:
      'Cancel raced against completion, failure, deadline, crash and a second cancel leaves one terminal, and stream, get, later get and envelope agree.',
    threshold: '≥ 200 rounds per pair of causes and ≥ 25 in each cell',
    kind: 'wire',
    cells: 'all',
    subject: 'executor',
    sources: ['O-71'],
  },
  {
    id: 'RLY-05',
    statement: 'Latency added to unary calls and to event delivery, idle and under load.',
    threshold: 'ratio to the baseline ≤ 1.25 at p50 and ≤ 1.5 at p95',
    kind: 'wire',
    cells: 'all',
    subject: 'pair',
    sources: ['O-72'],
  },
  {
    id: 'RLY-06',
    statement:
      'Real load balancers lose no event, through 70 s of idling and a reload in mid-stream; what a terminator alters, drops, swaps or injects is refused before execution or detected.',
    threshold: 'heartbeat < half the smallest idle limit; forgeries detected 100 %',
    kind: 'wire',
    cells: 'all',
    subject: 'pair',
    sources: ['O-73'],
  },
  {
    id: 'RLY-07',
    statement:
      'With no inbound connection to the executor’s host and only outbound 443, directly or through an HTTP CONNECT proxy, RPL-02 to RPL-06 hold.',
    kind: 'wire',
    cells: 'X',
    subject: 'pair',
    sources: ['O-4', 'O-66', 'O-67', 'O-73'],
  },
  {
    id: 'RLY-08',
    statement:
      'Health, readiness and metrics of all three processes show each injected fault within 15 s under a documented name, and none that was not injected.',
    kind: 'hook',
    cells: 'all',
    subject: 'pair',
    sources: ['O-74'],
  },
  {
    id: 'RLY-09',
    statement:
      'Token key, result key, TLS certificate and relay key rotate under load without a failed task; a revoked key is refused within revocationSeconds.',
    kind: 'hook',
    cells: 'all',
    subject: 'pair',
    sources: ['O-75'],
  },
  {
    id: 'RLY-10',
    statement:
      'The relay is blind: no agent token, task text or event in its memory, logs or captures; the same search finds the canaries in a relay that terminates.',
    kind: 'hook',
    cells: 'X',
    subject: 'relay',
    sources: ['O-5'],
  },
  {
    id: 'RLY-11',
    statement:
      'With a relay killed and restarted, or one of two gone, no task is lost and none is made twice.',
    threshold: 'zero in 50',
    kind: 'wire',
    cells: 'X',
    subject: 'relay',
    sources: ['O-69'],
  },
  {
    id: 'RLY-12',
    statement: 'The late close of a replaced tunnel does not unregister its successor.',
    threshold: 'zero in 100 flaps',
    kind: 'wire',
    cells: 'X',
    subject: 'relay',
    sources: ['public reports of tunnel replacement'],
  },
  {
    id: 'RLY-13',
    statement:
      'Headers, service parameters, SSE bytes, trailers and half-close pass byte for byte, and nothing is ever sent again.',
    kind: 'wire',
    cells: 'X',
    subject: 'relay',
    sources: ['A2A 5.1'],
  },
  {
    id: 'RLY-14',
    statement:
      'An executor cannot register another’s route; a coordinator reaches only granted routes; an unknown and an ungranted route give one identical 403.',
    threshold: 'zero in 100',
    kind: 'wire',
    cells: 'X',
    subject: 'relay',
    sources: ['O-95'],
  },
  {
    id: 'RLY-15',
    statement:
      'Operability counted from the running system: processes, ports, connections, configuration keys, secrets, manual steps.',
    threshold: 'no count above the baseline’s by more than one and more than 25 %, or an accepted trade-off',
    kind: 'inside',
    cells: 'all',
    subject: 'pair',
    sources: ['O-76'],
  },
];

export const relay: readonly Criterion[] = rows.map((row) => ({ ...row, gate: 'relay' }));
