import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import { signEnvelope, type UnsignedEnvelope } from '../../profile/envelope.js';
import type { Json } from '../wire/probe.js';
import { coordinatorLines } from './coordinator-lines.js';
import { Findings } from './finding.js';

describe('the checker of a coordinator’s lines', () => {
  const key = newKey(Date.now() - 60_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'oab-lines-'));
    writeKeyFile(join(folder, 'results.jwks'), [key], 'public');
  });
  after(() => rmSync(folder, { recursive: true }));

  const signed = (more: Json = {}): Json =>
    signEnvelope(
      {
        request_id: 'r',
        task_id: 't',
        status: 'completed',
        effective_capabilities: ['repo:read'],
        ...more,
      } as unknown as UnsignedEnvelope,
      { kid: key.kid, key: key.privateKey as NonNullable<typeof key.privateKey> },
    ) as unknown as Json;
  const accepted = { type: 'accepted', request_id: 'r', task_id: 't' };
  const event = (sequence: number, body = 'x'): Json => ({
    type: 'event',
    task_id: 't',
    sequence,
    event: { statusUpdate: { body } },
  });
  const result = (more: Json = {}): Json => ({
    type: 'result',
    task_id: 't',
    outcome: 'completed',
    verified: true,
    envelope: signed(),
    ...more,
  });
  const found = (...runs: Json[][]) => foundOf(false, runs);
  const foundOf = async (forged: boolean, runs: Json[][]): Promise<string[]> => {
    const findings = new Findings();
    const requested = {
      request_id: 'r',
      capabilities: ['repo:read'],
      resultKeys: join(folder, 'results.jwks'),
      forged,
    };
    await coordinatorLines(
      runs.map((lines) => ({ action: 'delegate', lines })),
      requested,
      findings.for('coordinator'),
    );
    return findings.all.map(({ what }) => what);
  };

  it('finds nothing in an honest delegation, cut and taken up again, nor in a local unknown', async () => {
    const whole = [accepted, event(1), event(2), event(3), result()];
    assert.deepEqual(await found(whole), []);
    assert.deepEqual(await found([accepted, event(1), event(2)], [event(3), result()], whole), []);
    const unknown = result({ verified: false, envelope: null, outcome: 'unknown', task_id: null });
    assert.deepEqual(await found([unknown], [result()]), []);
  });

  it('holds nothing against it that a forged executor made it say, but what it believed', async () => {
    const lines = [accepted, event(2), event(1), event(1, 'y'), { ...result(), task_id: 't' }];
    assert.deepEqual(await foundOf(true, [lines, [{ ...accepted, task_id: 'u' }]]), []);
    assert.notDeepEqual(await foundOf(false, [lines]), []);
    const believed = await foundOf(true, [[result({ envelope: { ...signed(), summary: 'x' } })]]);
    assert.match(believed.join(), /does not verify/);
  });

  for (const [name, expected, runs] of [
    ['two tasks', /two tasks: t and u/, () => [[accepted], [{ ...accepted, task_id: 'u' }]]],
    ['an event twice in one run', /prints event 2 after event 2/, () => [[event(2), event(2)]]],
    ['one event as two', /event 2 is printed as two/, () => [[event(2)], [event(2, 'y')]]],
    ['something after the result', /after its result/, () => [[result(), event(3)]]],
    ['a verified result without envelope', /no envelope/, () => [[result({ envelope: null })]]],
    [
      'a signature that does not verify',
      /does not verify/,
      () => [[result({ envelope: { ...signed(), summary: 'x' } })]],
    ],
    [
      'an outcome that is not the signed one',
      /completed is reported as failed/,
      () => [[result({ outcome: 'failed' })]],
    ],
    ['another task’s result', /is that of r, u/, () => [[result({ envelope: signed({ task_id: 'u' }) })]]],
    [
      'authority that was not asked for',
      /accepted with exec/,
      () => [[result({ envelope: signed({ effective_capabilities: ['exec'] }) })]],
    ],
    [
      'two verified outcomes',
      /completed and then failed/,
      () => [[result()], [result({ outcome: 'failed', envelope: signed({ status: 'failed' }) })]],
    ],
  ] as [string, RegExp, () => Json[][]][]) {
    it(`finds ${name}`, async () => {
      assert.match((await found(...runs())).join('; '), expected);
    });
  }
});
