/** PRF-21: whoever is not a configured caller with a valid credential gets nothing, and no hint of why. */

import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'jose';
import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { positionOf, stateOf, taskOf } from '../../src/harness/run/observe.js';
import { heldTask, release } from '../../src/harness/run/story.js';
import { countTasks } from '../../src/harness/run/tasks.js';
import type { Suite } from '../../src/harness/suite.js';
import type { TokenAbuse } from '../../src/harness/wire/identity.js';
import { wireDigest } from '../../src/harness/wire/request.js';

const PAST = 10_000;

function stranger(): JWK {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as JWK;
}

async function refused(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  const probe = executor.probe();
  const { gate, other, revoked } = executor;
  const started = await heldTask(lab, executor, probe, 'a', ['say after']);
  const before = positionOf(taskOf(await probe.get(started.taskId), 'GetTask'));
  const request = lab.script(executor, 'never', ['say x']);
  const digest = wireDigest(request);
  const token = (abuse: TokenAbuse, identity = gate) => identity.token(['repo:read'], digest, abuse);
  const now = Math.floor(Date.now() / 1000);
  const good = await token({});
  const [head = '', body = '', tail = ''] = good.split('.');
  const bearers: Record<string, string | null> = {
    none: null,
    garbage: 'garbage',
    'no signature': `${head}.${body}.`,
    'flipped signature': `${head}.${body}.${tail.startsWith('A') ? 'B' : 'A'}${tail.slice(1)}`,
    'flipped claims': `${head}.${body.slice(0, -2)}${body.endsWith('A') ? 'Q' : 'A'}.${tail}`,
    'stranger’s key': await token({ key: stranger() }),
    'unknown kid': await token({ header: { kid: 'unknown' } }),
    'revoked key': await token({}, revoked),
    'another caller’s key': await token({ claims: { iss: 'gate-other', sub: 'gate-other' } }),
    'unknown peer': await token({ claims: { iss: 'nobody', sub: 'nobody' } }),
    'iss is not sub': await token({ claims: { sub: 'gate-other' } }),
    expired: await token({ claims: { iat: now - PAST, exp: now - PAST + 60 } }),
    'not yet': await token({ claims: { iat: now + PAST, exp: now + PAST + 60 } }),
    'lives too long': await token({ lifetime: 301 }),
    'wrong audience': await token({ claims: { aud: 'oab-c' } }),
    'a relay’s kind': await token({ header: { typ: 'oab-relay+jwt' }, claims: { aud: 'relay:r' } }),
    'typ JWT': await token({ header: { typ: 'JWT' } }),
    'header with jwk': await token({ header: { jwk: { kty: 'OKP' } } }),
  };
  const answers = new Map<string, string>();
  const statuses = new Set<number>();
  for (const { point: name } of lab.sweep('bearers', Object.keys(bearers))) {
    const bearer = bearers[name] as string | null;
    for (const operation of probe.operations(started.taskId, request)) {
      lab.attempt();
      const answer = await operation.call({ token: bearer });
      lab.expect(
        answer.status === operation.unauthenticated,
        `${operation.name} with ${name} is answered ${answer.status} ${answer.text.slice(0, 120)}`,
      );
      const told = `${answer.status} ${answer.text.replace(/"id":\d+/, '')}`;
      answers.set(told, `${operation.name} with ${name}`);
      statuses.add(answer.status);
    }
  }
  lab.evidence('answers.json', [...answers]);
  lab.expect(
    answers.size === statuses.size,
    `refusals can be told apart: ${[...answers.values()].slice(0, 3).join('; ')}`,
  );
  await foreign(lab, executor.probe(other), started.taskId);

  const after = taskOf(await probe.get(started.taskId), 'GetTask');
  lab.expect(
    positionOf(after).sequence === before.sequence && stateOf(after) === 'TASK_STATE_WORKING',
    'a refused call moved the task',
  );
  const total = await countTasks(executor, probe);
  lab.expect(total === 1, `refused calls left ${total - 1} tasks`);
  const ledger = await executor.holds.ledger();
  lab.expect(ledger.filter(({ kind }) => kind === 'start').length === 1, 'a refused call started an agent');
  await release(executor, started);
}

/** Another caller’s task is answered byte for byte as one that does not exist. */
async function foreign(
  lab: CaseLab,
  probe: ReturnType<Awaited<ReturnType<CaseLab['executor']>>['probe']>,
  taskId: string,
): Promise<void> {
  const absent = 'task-00000000-0000-4000-8000-000000000000';
  for (const what of ['get', 'cancel'] as const) {
    for (const cursor of [undefined, 'c1.AAAAAAAAAAAAAAAA']) {
      lab.attempt();
      const options = cursor === undefined ? {} : { cursor };
      const [one, two] = [await probe[what](taskId, options), await probe[what](absent, options)];
      lab.expect(
        one.error?.code === -32001,
        `${what} of a foreign task is answered ${one.text.slice(0, 200)}`,
      );
      const same = one.text.replace(/"id":\d+/, '') === two.text.replace(/"id":\d+/, '');
      lab.expect(same, `${what} tells a foreign task from none: ${one.text} and ${two.text}`);
    }
  }
  if (probe.list === undefined) return;
  const listed = taskOf(await probe.list(), 'ListTasks');
  lab.expect(Number(listed.totalSize) === 0, 'another caller’s tasks are listed');
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-21',
  cases: () => [{ name: 'refused-callers', estimateMs: 1500, deadlineMs: 40_000, run: refused }],
};
