/** PRF-13: the signed result, verified by a stock library; and every way to bend it, refused for its own reason. */
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { ended, resultOf, taskOf } from '../../src/harness/run/observe.js';
import { AFTER } from '../../src/harness/run/story.js';
import type { FakeParts } from '../../src/harness/subjects/fake-parts.js';
import type { Story } from '../../src/harness/subjects/fake-story.js';
import type { Suite } from '../../src/harness/suite.js';
import { wireRequest } from '../../src/harness/wire/request.js';
import { verifyResult } from '../../src/harness/wire/verify-result.js';
import type { UnsignedEnvelope } from '../../src/profile/envelope.js';
import type { Artifact, ResultEnvelope } from '../../src/profile/model.js';
import { KEY } from '../../src/profile/names.js';
import { jobRequest } from './prf-03.js';

const REQUIRED = [
  'protocol_version',
  'request_id',
  'task_id',
  'turn_id',
  'status',
  'summary',
  'error',
  'executed_by',
  'caller',
  'effective_capabilities',
  'request_digest',
  'result_digest',
  'artifacts',
  'side_effects',
  'event_log',
  'signed_at',
  'attestation',
];

async function stockLibrary(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const probe = executor.probe();
  const task = await ended(
    probe,
    String(taskOf(await probe.create(lab.script(executor, 's', [...AFTER])), 'the create').id),
  );
  const envelope = resultOf(task) ?? {};
  lab.evidence('envelope.json', envelope);
  const missing = REQUIRED.filter((member) => !(member in envelope));
  lab.expect(missing.length === 0, `the envelope lacks ${missing.join(', ')}`);
  lab.expect(
    await verifyResult(envelope, executor.resultKeys),
    'the result does not verify with a stock JOSE library',
  );
  for (const member of Object.keys(envelope).filter((name) => name !== 'attestation')) {
    lab.attempt();
    const bent = { ...envelope, [member]: bend(envelope[member]) };
    lab.expect(!(await verifyResult(bent, executor.resultKeys)), `the signature does not cover ${member}`);
  }
}

/** Another value of the same kind. */
function bend(value: unknown): unknown {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value)) return [...value, value[0] ?? 'x'];
  return { ...(value as object), more: 'x' };
}

type Bend = FakeParts['story'];

/** A change of the signed members without a new signature. */
const changed =
  (change: (envelope: ResultEnvelope) => ResultEnvelope): Bend =>
  (story) =>
    withEnvelope(story, change(story.envelope));
/** A change that the executor itself signs: authentic, and still not acceptable. */
const resigned =
  (change: (unsigned: UnsignedEnvelope) => UnsignedEnvelope): Bend =>
  (story, { resign }) =>
    withEnvelope(story, resign(change(unsigned(story.envelope))));

function unsigned({ result_digest: _d, attestation: _a, ...rest }: ResultEnvelope): UnsignedEnvelope {
  return rest;
}

function withEnvelope(story: Story, envelope: ResultEnvelope): Story {
  return {
    ...story,
    envelope,
    task: { ...story.task, metadata: { ...story.task.metadata, [KEY.result]: envelope } },
  };
}

/** Rewrites the protected header, keeping or replacing the signature. */
function header(
  change: (header: Record<string, unknown>) => Record<string, unknown>,
  signature?: string,
): Bend {
  return changed((envelope) => {
    const { attestation } = envelope;
    const decoded = JSON.parse(Buffer.from(attestation.protected, 'base64url').toString('utf8')) as Record<
      string,
      unknown
    >;
    const encoded = Buffer.from(JSON.stringify(change(decoded))).toString('base64url');
    return {
      ...envelope,
      attestation: { ...attestation, protected: encoded, signature: signature ?? attestation.signature },
    };
  });
}

const artifacts =
  (change: (artifacts: Artifact[]) => Artifact[]): Bend =>
  (story) => ({
    ...story,
    task: { ...story.task, artifacts: change(story.task.artifacts ?? []) },
  });

/** Name of the case → how the story is bent, and the reasons that may be given for refusing it. */
const HOSTILE: Record<string, [Bend, ...string[]]> = {
  'no-result': [
    (story) => ({
      ...story,
      task: { ...story.task, metadata: { ...story.task.metadata, [KEY.result]: undefined } },
    }),
    'NO_RESULT',
  ],
  'flip-status': [changed((e) => ({ ...e, status: 'failed' })), 'SIGNATURE_INVALID'],
  'flip-summary': [changed((e) => ({ ...e, summary: 'another' })), 'SIGNATURE_INVALID'],
  'flip-executor': [changed((e) => ({ ...e, executed_by: 'oab-c' })), 'SIGNATURE_INVALID'],
  'flip-caller': [changed((e) => ({ ...e, caller: 'gate-other' })), 'SIGNATURE_INVALID'],
  'flip-capabilities': [changed((e) => ({ ...e, effective_capabilities: [] })), 'SIGNATURE_INVALID'],
  'flip-side-effects': [changed((e) => ({ ...e, side_effects: [] })), 'SIGNATURE_INVALID'],
  'flip-artifacts': [changed((e) => ({ ...e, artifacts: [] })), 'SIGNATURE_INVALID'],
  'flip-event-log': [
    changed((e) => ({ ...e, event_log: { ...e.event_log, last_sequence: 4 } })),
    'SIGNATURE_INVALID',
  ],
  'flip-result-digest': [
    changed((e) => ({ ...e, result_digest: e.request_digest })),
    'SIGNATURE_INVALID',
    'RESULT_DIGEST_MISMATCH',
  ],
  'flip-error': [changed((e) => ({ ...e, error: { code: 'REFUSED', message: 'x' } })), 'SIGNATURE_INVALID'],
  'flip-signed-at': [
    changed((e) => ({ ...e, signed_at: '2020-01-01T00:00:00.000Z' })),
    'SIGNATURE_INVALID',
    'KEY_NOT_VALID',
  ],
  'extra-member': [changed((e) => ({ ...e, note: 'x' }) as ResultEnvelope), 'MALFORMED_ENVELOPE'],
  'strange-key': [
    (story, { strangerSigns }) => withEnvelope(story, strangerSigns(unsigned(story.envelope))),
    'KEY_UNKNOWN',
  ],
  'alg-none': [header((h) => ({ ...h, alg: 'none' }), ''), 'HEADER_INVALID'],
  'alg-hs256': [header((h) => ({ ...h, alg: 'HS256' })), 'HEADER_INVALID'],
  'header-jwk': [header((h) => ({ ...h, jwk: { kty: 'OKP' } })), 'HEADER_INVALID'],
  'header-jku': [header((h) => ({ ...h, jku: 'https://example.invalid' })), 'HEADER_INVALID'],
  'header-crit': [header((h) => ({ ...h, crit: ['b64'], b64: false })), 'HEADER_INVALID'],
  'header-typ': [header((h) => ({ ...h, typ: 'JWT' })), 'HEADER_INVALID'],
  'header-kid': [header((h) => ({ ...h, kid: 'another' })), 'HEADER_INVALID'],
  'wrong-request': [resigned((e) => ({ ...e, request_id: 'another' })), 'WRONG_REQUEST'],
  'wrong-request-digest': [
    resigned((e) => ({ ...e, request_digest: `sha256:${'0'.repeat(64)}` })),
    'WRONG_REQUEST_DIGEST',
  ],
  'wrong-task': [resigned((e) => ({ ...e, task_id: 'task-another' })), 'WRONG_TASK'],
  'wrong-turn': [resigned((e) => ({ ...e, turn_id: 'turn-another' })), 'WRONG_TURN'],
  'wrong-executor': [resigned((e) => ({ ...e, executed_by: 'oab-c' })), 'WRONG_EXECUTOR'],
  'wrong-caller': [resigned((e) => ({ ...e, caller: 'gate-other' })), 'WRONG_CALLER'],
  'widened-capabilities': [
    resigned((e) => ({ ...e, effective_capabilities: ['exec', 'repo:read'] })),
    'CAPABILITIES_WIDENED',
  ],
  'status-against-core': [resigned((e) => ({ ...e, status: 'failed' })), 'STATUS_MISMATCH'],
  'wrong-last-sequence': [
    resigned((e) => ({ ...e, event_log: { ...e.event_log, last_sequence: 4 } })),
    'TERMINAL_MISMATCH',
  ],
  'summary-not-said': [resigned((e) => ({ ...e, summary: 'never said' })), 'TERMINAL_MISMATCH'],
  'another-owner': [
    resigned((e) => ({ ...e, artifacts: e.artifacts.map((one) => ({ ...one, owner: 'gate' })) })),
    'OWNER_MISMATCH',
  ],
  'log-mismatch': [
    resigned((e) => ({ ...e, event_log: { ...e.event_log, head: `sha256:${'1'.repeat(64)}` } })),
    'LOG_MISMATCH',
  ],
  'injected-artifact': [
    artifacts((all) => [...all, { artifactId: 'more', parts: [{ text: 'x' }] }]),
    'ARTIFACTS_DIFFER',
  ],
  'missing-artifact': [artifacts(() => []), 'ARTIFACTS_DIFFER'],
  'altered-artifact': [
    artifacts((all) => all.map((one) => ({ ...one, parts: [{ text: 'one two' }] }))),
    'ARTIFACT_DIGEST_MISMATCH',
  ],
  'unowned-artifact': [artifacts((all) => all.map(({ metadata: _m, ...one }) => one)), 'OWNER_MISMATCH'],
};

/** The coordinators of several hostile stories run beside each other: each is a process of its own. */
const AT_ONCE = 4;

async function hostile(lab: CaseLab, names: readonly string[]): Promise<void> {
  const executor = await lab.executor();
  const one = async (name: string) => {
    const [story, ...reasons] = HOSTILE[name] as [Bend, ...string[]];
    const { run, fake } = await delegateTo(lab, executor.gate.keyFile, { story });
    const result = await run.result;
    lab.attempt();
    lab.evidence(`${name}.json`, { lines: run.lines, received: fake.received.map(({ rpc }) => rpc) });
    lab.expect(
      result?.outcome === 'unknown' && result.verified === false,
      `${name}: the coordinator reports ${String(result?.outcome)}, verified ${String(result?.verified)}`,
    );
    lab.expect(
      reasons.includes(String(result?.reason)),
      `${name}: refused for ${String(result?.reason)}, not for ${reasons.join(' or ')}`,
    );
    lab.expect((await run.exit) === 4, `${name}: the coordinator exits ${String(await run.exit)}`);
  };
  const chosen = lab.sweep('stories', names).map(({ point }) => point);
  for (let at = 0; at < chosen.length; at += AT_ONCE)
    await Promise.all(chosen.slice(at, at + AT_ONCE).map(one));
}

/** The same coordinator believes the honest story: what it refuses, it refuses for what was bent. */
async function honest(lab: CaseLab): Promise<void> {
  const executor = await lab.executor();
  const { run } = await delegateTo(lab, executor.gate.keyFile, {});
  const result = await run.result;
  lab.evidence('lines.json', run.lines);
  lab.expect(
    result?.outcome === 'completed' && result.verified === true,
    `the honest story gives ${JSON.stringify(result)}`,
  );
  lab.expect(
    result?.observation === 'complete',
    `the observation of the whole log is ${String(result?.observation)}`,
  );
}

async function delegateTo(lab: CaseLab, keyFile: string, change: Partial<FakeParts>) {
  const fake = await lab.fake('gate', change);
  const request = jobRequest(wireRequest(fake.peer, 'a task for the harness itself'));
  const run = lab.coordinator().run('delegate', lab.jobTo(fake, keyFile, request));
  return { fake, run };
}

const NAMES = Object.keys(HOSTILE);
const GROUPS = { signature: NAMES.slice(0, 21), binding: NAMES.slice(21) };

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-13',
  cases: () => [
    { name: 'stock-library', estimateMs: 400, deadlineMs: 30_000, run: stockLibrary },
    { name: 'honest', estimateMs: 600, deadlineMs: 30_000, run: honest },
    ...Object.entries(GROUPS).map(([name, names]) => ({
      name,
      estimateMs: 300 * names.length,
      deadlineMs: 90_000,
      run: (lab: CaseLab) => hostile(lab, names),
    })),
  ],
};
