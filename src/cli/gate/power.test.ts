import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Verdict } from '../../gate/verdict.js';
import { UsageError } from '../usage-error.js';
import { caught } from './plant.js';
import { readScore, SCORE_SCHEMA } from './score.js';

describe('the planted defects', () => {
  const verdict = (failed: string[], undetermined = 0) =>
    ({
      failed_criteria: failed.map((check) => {
        const [criterion, binding, topology] = check.split('/');
        return { criterion, binding, topology };
      }),
      totals: { undetermined },
      duration_ms: 1,
    }) as unknown as Verdict;
  const both = ['RPL-01/WSS/direct', 'RPL-02/WSS/direct'];

  it('are caught by exactly what they declare, and by nothing that is open', () => {
    const defect = { id: 'd', fails: ['RPL-02', 'RPL-01'], bindings: ['WSS'] } as const;
    assert.equal(caught(defect, verdict(both)).caught, true);
    assert.equal(caught(defect, verdict(both.slice(1))).caught, false);
    assert.equal(caught(defect, verdict([...both, 'RPL-03/WSS/direct'])).caught, false);
    assert.equal(caught(defect, verdict(both, 1)).caught, false);
  });

  it('are caught on every binding that they are planted on', () => {
    const defect = { id: 'd', fails: ['RPL-07'], bindings: ['WSS', 'OAB'] } as const;
    assert.equal(caught(defect, verdict(['RPL-07/OAB/direct'])).caught, false);
    assert.equal(caught(defect, verdict(['RPL-07/OAB/direct', 'RPL-07/WSS/direct'])).caught, true);
  });
});

describe('a score', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oab-score-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const row = (defect: string, caught: boolean) => ({
    defect,
    expected: [],
    failed: [],
    undetermined: [],
    caught,
    duration_ms: 1,
  });
  const write = (content: unknown): string => {
    const path = join(folder, 'power.json');
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const score = (build: string) => ({
    schema: SCORE_SCHEMA,
    build,
    seed: 1,
    started_at: '2026-12-01T00:00:00.000Z',
    duration_ms: 1,
    defects: [row('a', true), row('b', false)],
  });
  const known = [{ id: 'a' }, { id: 'b' }];

  it('is carried when this build made it of every defect', () => {
    const counts = readScore(write(score('this')), 'this', known);
    assert.deepEqual(counts, { defects: 2, defects_caught: 1, false_alarms: 0, peers: 0 });
  });

  for (const [name, content, more, message] of [
    ['another build', score('other'), [], /another build/],
    ['a defect that did not run', score('this'), [{ id: 'c' }], /1 planted defects did not run, c first/],
    ['something else', { schema: 'x' }, [], /no score of "oab-gate power": schema/],
    ['no JSON', '{', [], /no score of "oab-gate power"/],
  ] as [string, unknown, { id: string }[], RegExp][]) {
    it(`of ${name} is refused`, () => {
      assert.throws(
        () => readScore(write(content), 'this', [...known, ...more]),
        (error: Error) => error instanceof UsageError && message.test(error.message),
      );
    });
  }
});
