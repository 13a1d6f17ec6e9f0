import assert from 'node:assert/strict';
import { NotExercised } from '../check.js';
import type { ExecutorSubject } from '../subjects/executor-subject.js';
import type { Json, Probe } from '../wire/probe.js';
import { countTasks, list, requestsTwice } from './tasks.js';

const ROWS: Json[] = [
  { kind: 'start', detail: {} },
  { kind: 'admitted', peer: 'gate', taskId: 'a', detail: { request_id: '1' } },
  { kind: 'duplicate', peer: 'gate', taskId: 'a', detail: {} },
  { kind: 'terminal', peer: 'gate', taskId: 'a', detail: {} },
  { kind: 'refused', peer: 'gate', detail: { reason: 'CONFLICT' } },
  { kind: 'rejected', peer: 'gate', taskId: 'b', detail: { request_id: '2' } },
  { kind: 'admitted', peer: 'gate-other', taskId: 'c', detail: { request_id: '1' } },
];
const executorOf = (audit?: Json[]) =>
  ({ ...(audit && { audit: async () => audit }) }) as unknown as ExecutorSubject;
const oab = { binding: 'OAB', peer: 'gate' } as Probe;

describe('the count of an executor’s tasks', () => {
  it('is the binding’s own where it lists them', async () => {
    const answer = { status: 200, echoed: true, text: '', result: { totalSize: 7 } };
    assert.equal(await countTasks(executorOf(ROWS), { ...oab, list: async () => answer } as Probe), 7);
  });

  it('is read from the audit where it does not: tasks of the caller, each once', async () => {
    assert.equal(await countTasks(executorOf(ROWS), oab), 2);
    assert.equal(await countTasks(executorOf(ROWS), { ...oab, peer: 'gate-other' } as Probe), 1);
    await assert.rejects(list(oab), /no verb that lists tasks/);
  });

  it('has a task that was admitted off the record', async () => {
    const late = { kind: 'terminal', peer: 'gate', taskId: 'd', detail: {} };
    assert.equal(await countTasks(executorOf([...ROWS, late]), oab), 3);
  });

  it('is not exercised where nothing shows them', async () => {
    await assert.rejects(countTasks(executorOf(), oab), NotExercised);
  });

  it('tells a request that made two tasks', () => {
    const again = { kind: 'admitted', peer: 'gate', taskId: 'd', detail: { request_id: '2' } };
    assert.deepEqual(requestsTwice(ROWS.filter(({ peer }) => peer === 'gate')), []);
    assert.deepEqual(requestsTwice([...ROWS.slice(0, 6), again]), ['2 was admitted as b and as d']);
  });
});
