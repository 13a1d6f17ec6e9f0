import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { decide } from '../gate/decide.js';
import type { Verdict } from '../gate/verdict.js';
import type { CheckResult } from '../harness/check.js';
import { decisionKey, publicPath, readKey } from './decision-key.js';
import { sealEvidence } from './evidence.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import { verifyVerdict } from './verify.js';
import { writeReports } from './write.js';

const cell = { binding: 'JSONRPC', topology: 'direct' } as const;
const checks: CheckResult[] = [
  { criterion: 'RPL-02', cell, outcome: 'passed', cases: [], duration_ms: 1 },
  {
    criterion: 'RPL-03',
    cell,
    outcome: 'failed',
    reason: 'expected <1..9> & saw a | hole',
    cases: [
      {
        id: 'RPL-03/JSONRPC/direct/reset',
        outcome: 'failed',
        attempts: 1,
        evidence: ['evidence/wire.txt'],
        duration_ms: 1,
      },
    ],
    duration_ms: 1,
  },
  {
    criterion: 'RPL-04',
    cell,
    outcome: 'undetermined',
    reason: 'the cut did not take',
    cases: [],
    duration_ms: 1,
  },
  { criterion: 'RPL-01', cell, outcome: 'not_exercised', reason: 'no kill hook', cases: [], duration_ms: 1 },
  { criterion: 'PRF-01', cell, outcome: 'not_run', reason: 'no_suite', cases: [], duration_ms: 0 },
];

describe('reports', () => {
  let out: string;
  let key: JWK;
  let verdict: Verdict;

  beforeEach(async () => {
    out = mkdtempSync(join(tmpdir(), 'oab-report-'));
    key = (await decisionKey(join(out, 'key', 'verdict.jwk'))).jwk;
    mkdirSync(join(out, 'evidence', 'deep'), { recursive: true });
    writeFileSync(join(out, 'evidence', 'wire.txt'), 'bytes');
    writeFileSync(join(out, 'evidence', 'deep', 'ledger.ndjson'), '{}\n');
    verdict = decide({
      checks,
      tradeoffs: [],
      narrowedBy: ['--criteria'],
      embeddedInjector: false,
      defect: null,
      seed: 7,
      subject: {},
      components: {},
      measurements: [],
      evidence: await sealEvidence(out, checks),
      score: { defects_caught: 0, defects: 0, false_alarms: 0, peers: 0 },
      startedAt: '2026-12-01T00:00:00.000Z',
      durationMs: 5,
    });
    await writeReports(out, verdict, checks, key);
  });
  afterEach(() => rmSync(out, { recursive: true }));

  const trusted = () => readKey(publicPath(join(out, 'key', 'verdict.jwk')), 'public');

  it('verify under the trusted key, and say so when the signer is unknown', async () => {
    const verification = await verifyVerdict(join(out, 'verdict.jws'), trusted());
    assert.deepEqual([verification.problems, verification.signer, verification.files], [[], 'trusted', 3]);
    const integrity = await verifyVerdict(join(out, 'verdict.jws'), undefined);
    assert.deepEqual([integrity.problems, integrity.signer], [[], 'unknown']);
  });

  it('do not verify when one byte of the verdict, its signature or any evidence file changes, or a file is added or gone', async () => {
    const files = ['verdict.json', 'verdict.jws', ...Object.keys(verdict.evidence)];
    assert.ok(files.length >= 5);
    for (const file of files) {
      const path = join(out, file);
      const bytes = readFileSync(path);
      const changed = Buffer.from(bytes);
      changed[Math.floor(bytes.length / 2)] = bytes[Math.floor(bytes.length / 2)]! ^ 1;
      writeFileSync(path, changed);
      assert.notDeepEqual((await verifyVerdict(join(out, 'verdict.jws'), trusted())).problems, [], file);
      rmSync(path);
      assert.notDeepEqual(
        (await verifyVerdict(join(out, 'verdict.jws'), trusted())).problems,
        [],
        `${file} gone`,
      );
      writeFileSync(path, bytes);
    }
    appendFileSync(join(out, 'evidence', 'more.txt'), 'x');
    assert.notDeepEqual((await verifyVerdict(join(out, 'verdict.jws'), trusted())).problems, []);
  });

  it('do not verify when any single character of the signature changes', async () => {
    const path = join(out, 'verdict.jws');
    const jws = readFileSync(path, 'utf8').trim();
    for (let at = jws.lastIndexOf('.') + 1; at < jws.length; at += 1) {
      for (const other of 'ABCDEFGHQRSTghwx0123') {
        if (other === jws[at]) continue;
        writeFileSync(path, `${jws.slice(0, at)}${other}${jws.slice(at + 1)}\n`);
        const { problems } = await verifyVerdict(path, trusted());
        assert.notDeepEqual(problems, [], `character ${at}`);
      }
    }
  });

  it('do not verify under another key, even one that the signer would offer', async () => {
    const { publicKey } = await generateKeyPair('EdDSA', { extractable: true });
    const { problems } = await verifyVerdict(join(out, 'verdict.jws'), await exportJWK(publicKey));
    assert.equal(problems.length, 1);
  });

  it('keep the decision key to its owner, and make it once', async () => {
    const path = join(out, 'key', 'verdict.jwk');
    assert.equal(statSync(path).mode & 0o077, 0);
    assert.deepEqual(await decisionKey(path), { jwk: key, made: false });
    assert.throws(() => readKey(publicPath(path), 'private'), /private half/);
  });

  it('give the same totals in every format (O-60)', () => {
    const { planned, passed, failed, undetermined, not_exercised, not_run } = verdict.totals;
    assert.equal(planned, passed + failed + undetermined + not_exercised + not_run);
    const xml = junit(verdict, checks);
    assert.equal(xml.match(/<testcase /g)?.length, planned);
    assert.equal(xml.match(/<failure /g)?.length, failed);
    assert.equal(xml.match(/<error /g)?.length, undetermined);
    assert.equal(xml.match(/<skipped /g)?.length, not_exercised + not_run);
    assert.match(
      markdown(verdict, checks),
      /5 checks planned: 1 passed, 1 failed, 1 undetermined, 1 not exercised, 1 not run\./,
    );
  });

  it('carry a peer’s text as text', () => {
    assert.match(junit(verdict, checks), /expected &lt;1..9&gt; &amp; saw/);
    assert.match(markdown(verdict, checks), /expected \\<1..9\\> & saw a \\\| hole/);
  });

  it('are not signed for a run with a planted defect', async () => {
    const folder = join(out, 'defect');
    const files = await writeReports(folder, { ...verdict, defect: 'one' }, checks, undefined);
    assert.ok(files.every((file) => !file.endsWith('.jws')));
  });
});
