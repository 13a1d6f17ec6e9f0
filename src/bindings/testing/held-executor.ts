/** What the tests of every binding stand on: an executor whose tasks wait when they are told to, and callers as they say they are. */
import type { ExecutorConfig } from '../../executor/config.js';
import { openTestExecutor } from '../../executor/testing/harness.js';
import { inProcessRunner } from '../../executor/testing/in-process-runner.js';
import type { Authenticator, VerifiedCaller } from '../../identity/ports.js';

type Said = { [Name in keyof VerifiedCaller]?: VerifiedCaller[Name] | undefined } & { expired?: boolean };

/** The bearer is the caller as JSON: authentication has tests of its own. */
export function bearer(more: Said = {}): string {
  return Buffer.from(
    JSON.stringify({ peer: 'oab-a', via: 'token', cap: ['repo:read'], jti: 'j', ...more }),
  ).toString('base64url');
}

export const authenticator: Authenticator = {
  async verify({ authorization }) {
    const text = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
    if (text === undefined) return { reason: 'none' };
    const { expired, ...caller } = JSON.parse(Buffer.from(text, 'base64url').toString()) as VerifiedCaller & {
      expired?: boolean;
    };
    return expired === true ? { reason: 'expired' } : { caller, reason: 'ok' };
  },
};

/** Tasks that begin with `hold` wait for `release` or a cancel; a number in a task is how many long chunks its agent says. */
export async function openHeldExecutor(config: Partial<ExecutorConfig> = {}) {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const opened = await openTestExecutor(
    inProcessRunner(async ({ task, say, stopped }) => {
      say({ type: 'text', text: 'one ' });
      const asked = stopped.then(() => 'stopped');
      const stop = task.prompt.startsWith('hold') ? await Promise.race([held, asked]) : undefined;
      if (stop !== undefined) return { stopReason: 'cancelled' };
      const count = Number(/\d+/.exec(task.prompt)?.[0] ?? 1);
      for (let n = 0; n < count; n += 1) say({ type: 'text', text: 'x'.repeat(1000) });
      return { summary: 'done' };
    }),
    { config },
  );
  return { opened, release };
}
