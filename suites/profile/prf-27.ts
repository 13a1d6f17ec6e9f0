/** PRF-27: a valid token is not enough, and neither is any card: without the extension there is nothing. */

import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { countTasks, list } from '../../src/harness/run/tasks.js';
import type { Suite } from '../../src/harness/suite.js';
import { wireDigest } from '../../src/harness/wire/request.js';

async function tokenAlone(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  const probe = executor.probe();
  const request = lab.script(executor, 'never', ['say x']);
  const token = await executor.gate.token(['repo:read'], wireDigest(request));
  lab.expect(
    (await list(probe, { token })).result !== undefined,
    'the token is not valid in the first place',
  );
  for (const { name, call } of probe.operations('task-none', request)) {
    lab.attempt();
    const answer = await call({ token, extensions: false });
    lab.expect(
      answer.error?.code === -32008,
      `${name} with a valid token alone is answered ${answer.text.slice(0, 200)}`,
    );
  }
  // A token that is bound to another request opens nothing either.
  const other = lab.script(executor, 'never', ['say y']);
  const mismatch = await probe.create(other, { token });
  lab.expect(
    mismatch.error?.reason === 'TOKEN_MISMATCH',
    `a token of another request is answered ${mismatch.text.slice(0, 200)}`,
  );
  const unbound = await probe.create(other, { token: await executor.gate.token(['repo:read']) });
  lab.expect(
    unbound.error?.reason === 'TOKEN_MISMATCH',
    `an unbound token is answered ${unbound.text.slice(0, 200)}`,
  );
  lab.expect((await countTasks(executor, probe)) === 0, 'a refused create left a task');
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-27',
  cases: () => [{ name: 'token-alone', estimateMs: 600, deadlineMs: 20_000, run: tokenAlone }],
};
