/** PRF-25: what is at a bound passes, what is above it is refused, and nothing of it stays. */

import type { CaseLab } from '../../src/harness/run/case-lab.js';
import { publishedOf } from '../../src/harness/run/observe.js';
import { countTasks } from '../../src/harness/run/tasks.js';
import type { Suite } from '../../src/harness/suite.js';
import type { Json } from '../../src/harness/wire/probe.js';
import { wireMessage } from '../../src/harness/wire/request.js';

const SCRIPT = ['stop refusal'];
/** Close code of a frame that is too big (RFC 6455 section 7.4.1). */
const TOO_BIG = 1009;

async function bounds(lab: CaseLab): Promise<void> {
  const executor = await lab.fresh();
  const probe = executor.probe();
  const { limits } = publishedOf(await probe.card());
  const { maxTaskBytes } = limits;
  const padded = (bytes: number) => {
    const { task } = lab.script(executor, 'p', SCRIPT);
    return { task: `${task}\n#${'x'.repeat(bytes - Buffer.byteLength(task) - 2)}` };
  };
  const visible = (length: number) => 'n'.repeat(length);
  let accepted = 0;
  for (const [name, at, above] of [
    ['task', padded(maxTaskBytes), padded(maxTaskBytes + 1)],
    ['nonce, longest', { nonce: visible(128) }, { nonce: visible(129) }],
    ['nonce, shortest', { nonce: visible(16) }, { nonce: visible(15) }],
    ['request id', { request_id: visible(128) }, { request_id: visible(129) }],
    ['capabilities', { capabilities: ['repo:read'] }, { capabilities: [] }],
    ['deadline', { deadline_ms: 1000 }, { deadline_ms: 0 }],
    ['output budget', { budget: { max_output_bytes: 1 } }, { budget: { max_output_bytes: 0 } }],
  ] as [string, Json, Json][]) {
    lab.attempt(2);
    const good = await probe.create(lab.script(executor, 'a', SCRIPT, at));
    lab.expect(good.result !== undefined, `${name} at its bound is answered ${good.text.slice(0, 200)}`);
    accepted += 1;
    const bad = await probe.create(lab.script(executor, 'b', SCRIPT, above));
    lab.expect(
      bad.error?.reason === 'MALFORMED',
      `${name} above its bound is answered ${bad.text.slice(0, 200)}`,
    );
  }
  await (lab.binding === 'OAB'
    ? frames(lab, probe, executor, limits.maxFrameBytes)
    : nesting(lab, probe, executor, limits.maxFrameBytes));
  const total = await countTasks(executor, probe);
  lab.expect(total === accepted, `${accepted} creates were accepted and ${total} tasks exist`);
}

/** Nesting and length of the body as a whole. */
async function nesting(
  lab: CaseLab,
  probe: ReturnType<Awaited<ReturnType<CaseLab['executor']>>['probe']>,
  executor: Awaited<ReturnType<CaseLab['executor']>>,
  maxFrameBytes: number,
): Promise<void> {
  const request = lab.script(executor, 'n', SCRIPT);
  let deep: unknown = 1;
  for (let level = 0; level < 100; level += 1) deep = [deep];
  const nested = await probe.create(request, { message: { ...wireMessage(request), later: deep } });
  lab.expect(
    nested.error?.code === -32602,
    `a body nested a hundred deep is answered ${nested.text.slice(0, 200)}`,
  );
  // A frame has one limit, whatever is in it.
  const framed = lab.binding === 'WSS';
  const long = await probe.create(request, {
    message: { ...wireMessage(request), later: 'x'.repeat(framed ? maxFrameBytes : 2 * 1024 * 1024) },
  });
  lab.expect(
    framed ? long.status === TOO_BIG : long.error?.code === -32602,
    `a body above its limit is answered ${long.status} ${long.text.slice(0, 200)}`,
  );
  lab.attempt(2);
}

/** The same of a frame: what is no verb's is refused however long, and a frame above its limit ends the connection. */
async function frames(
  lab: CaseLab,
  probe: ReturnType<Awaited<ReturnType<CaseLab['executor']>>['probe']>,
  executor: Awaited<ReturnType<CaseLab['executor']>>,
  maxFrameBytes: number,
): Promise<void> {
  const request = lab.script(executor, 'n', SCRIPT);
  let deep: unknown = 1;
  for (let level = 0; level < 100; level += 1) deep = [deep];
  for (const [what, later] of [
    ['nested a hundred deep', deep],
    ['of almost its limit', 'x'.repeat(maxFrameBytes - 8192)],
  ] as const) {
    lab.attempt();
    const answer = await probe.create(request, { params: { later } });
    lab.expect(
      answer.error?.code === -32602 || answer.error?.code === -32700,
      `a frame ${what} is answered ${answer.status} ${answer.text.slice(0, 200)}`,
    );
  }
  lab.attempt();
  const above = await probe.create(request, { params: { later: 'x'.repeat(maxFrameBytes) } });
  lab.expect(
    above.status === TOO_BIG,
    `a frame above its limit is answered ${above.status} ${above.text.slice(0, 200)}`,
  );
}

export const suite: Suite<CaseLab> = {
  criterion: 'PRF-25',
  cases: () => [{ name: 'bounds', estimateMs: 1200, deadlineMs: 30_000, run: bounds }],
};
