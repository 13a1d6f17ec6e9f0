/** The link's listener and all its connections are closed, and come back. */
import type { Fault, FaultKind } from './fault.js';
import type { InjectorProxy } from './injector.js';
import { probe } from './probe.js';

const LOOK_MS = 5000;

export const down: FaultKind = {
  name: 'down',
  by: 'toxiproxy',
  description: 'the link’s listener and all its connections are closed, and come back',
  example: {},
  create,
};

function create(): Fault {
  let proxy: InjectorProxy | undefined;
  /** The proxy is one's own of the link, so that it can be dialled without disturbing anybody. */
  const looks = async (enabled: boolean, ms: number) => {
    if (proxy === undefined) return false;
    const state = await proxy.state();
    const { end } = await probe(proxy.address, { send: 0, ms });
    return state.enabled === enabled && (end === 'refused') === !enabled;
  };
  return {
    name: 'down',
    async arm(link, plan) {
      proxy = await link.proxy();
      if (plan.later !== true) await proxy.enable(false);
    },
    async strike() {
      await proxy?.enable(false);
    },
    verify: (ms = LOOK_MS) => looks(false, ms).catch(() => false),
    async clear() {
      await proxy?.enable(true);
    },
    gone: (ms = LOOK_MS) => looks(true, ms).catch(() => false),
  };
}
