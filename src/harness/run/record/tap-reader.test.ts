import assert from 'node:assert/strict';
import { Canaries } from '../../checkers/canaries.js';
import { Findings } from '../../checkers/finding.js';
import { SubjectHistory } from '../../checkers/subject-history.js';
import type { Direction, Link } from '../../lab/ports.js';
import { wsFrame } from '../../lab/testing/ws-frame.js';
import { readLink } from './tap-reader.js';

const ASKED = 'GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n';
const GRANTED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n';
const claims = (sub: string) =>
  Buffer.from(JSON.stringify({ sub, aud: 'oab-b' }), 'utf8').toString('base64url');
const head = (n: number) => `sha256:${String(n).repeat(64)}`;

const task = (sequence: number, state = 'WORKING') => ({
  id: 1,
  result: {
    task_id: 't',
    context_id: 'c',
    status: { state: `TASK_STATE_${state}` },
    artifacts: [],
    sequence,
    cursor: `c${sequence}`,
    head: head(sequence),
  },
});
const item = (id: number, sequence: number, state = 'WORKING') => ({
  id,
  result: {
    turn_id: 'u',
    sequence,
    cursor: `c${sequence}`,
    event: {
      statusUpdate: {
        taskId: 't',
        contextId: 'c',
        status: { state: `TASK_STATE_${state}`, timestamp: '2026-01-01T00:00:00.000Z' },
      },
    },
  },
});

/** The rules that a link breaks over which these messages came, and one request went. */
function broken(messages: readonly object[], mark = ''): string[] {
  const request = `{"id":1,"method":"get","params":{},"token":"eyJhbGciOiJFZERTQSJ9.${claims('gate')}.sig"}`;
  const bytes: Record<Direction, Buffer> = {
    upstream: Buffer.concat([Buffer.from(ASKED), wsFrame.mask(wsFrame('text', request))]),
    downstream: Buffer.concat([
      Buffer.from(GRANTED),
      ...messages.flatMap((json) => [wsFrame('ping', ''), wsFrame('text', JSON.stringify(json) + mark)]),
    ]),
  };
  const connection = {
    index: 0,
    plain: (direction: Direction) => bytes[direction],
    recorded: (direction: Direction) => bytes[direction],
    wire: [{ direction: 'downstream', bytes: bytes.downstream }],
    received: { upstream: bytes.upstream.length, downstream: bytes.downstream.length },
  };
  const findings = new Findings();
  const report = findings.for('executor');
  const canaries = new Canaries();
  canaries.sent('gate-other', mark);
  const history = new SubjectHistory({ name: 'executor', peer: 'oab-b', windowMs: 1 }, report, canaries);
  const link = { name: 'a', tap: { connections: [connection] } } as unknown as Link;
  readLink(link, history, report, canaries, 'oab-b');
  history.finish();
  return findings.all.map(({ rule }) => rule);
}

describe('the recording of a link that carried the OAB protocol', () => {
  it('is sound when every event follows the one before, in each stream by itself', () => {
    const events = [task(1, 'SUBMITTED'), item(2, 2), item(3, 1, 'SUBMITTED'), item(2, 3), item(3, 2)];
    assert.deepEqual(broken(events), []);
  });
  it('is not when a stream leaves one out', () => {
    assert.deepEqual(broken([item(2, 2), item(2, 4)]), ['order']);
  });
  it('is not when one event is two', () => {
    assert.deepEqual(broken([item(2, 2), item(3, 2, 'COMPLETED'), item(2, 3)]), ['one-log']);
  });
  it('is not when a task goes on behind its end', () => {
    assert.deepEqual(broken([task(3, 'COMPLETED'), item(2, 4)]), ['one-terminal']);
  });
  it('is not when a caller, known by the token of its request, gets what is another’s', () => {
    const mark = new Canaries().mint();
    assert.deepEqual(broken([{ id: 1, error: {} }], mark), ['privacy']);
  });
});
