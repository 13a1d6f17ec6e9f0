/** PRF-04: another version of the extension is never taken for this one, on either side. */

import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { taskOf } from '../../src/harness/run/observe.js';
import { list } from '../../src/harness/run/tasks.js';
import type { Suite } from '../../src/harness/suite.js';
import { EXT } from '../../src/profile/names.js';

const OTHERS = [
  EXT.replace('/v1', '/v2'),
  EXT.replace('/v1', '/v0'),
  EXT.replace('/v1', '/v1.1'),
  EXT.replace('/v1', ''),
  `${EXT}#a`,
];

async function executor(lab: CaseLab): Promise<void> {
  const subject = await lab.executor();
  const probe = subject.probe();
  for (const other of OTHERS) {
    lab.attempt();
    const answer = await probe.create(lab.script(subject, 'never', ['say x']), { extensions: other });
    lab.expect(answer.error?.code === -32008, `${other} is answered ${answer.text.slice(0, 200)}`);
    // Beside others this version is activated, and only this one is echoed.
    const both = await list(probe, { extensions: `${other},${EXT}` });
    lab.expect(
      taskOf(both, 'ListTasks beside another version') !== undefined && both.echoed,
      `beside ${other} the profile is not activated`,
    );
  }
  const card = (await probe.card()) as { capabilities: { extensions: { uri: string }[] } };
  const ours = card.capabilities.extensions.filter(({ uri }) => uri.includes('/a2a/delegation/'));
  lab.expect(
    ours.length === 1 && ours[0]?.uri === EXT,
    `the card declares ${ours.map(({ uri }) => uri).join(', ')}`,
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-04',
  cases: () => [{ name: 'other-versions', estimateMs: 300, deadlineMs: 20_000, run: executor }],
};
