/**
 * What the faults of Toxiproxy have in common. A toxic on the link of a subject cannot be measured without disturbing
 * the case, so the same toxic is put on a witness at the same moments: a proxy of the same server in front of an echo
 * peer. It took when the server shows it on the link and the witness shows its effect.
 */

import type { Fault, FaultKind, FaultPlan } from './fault.js';
import type { InjectorProxy, InjectorToxic, ToxicType } from './injector.js';
import { probe } from './probe.js';

const EFFECT_MS = 10_000;
/** How long an effect that should not be there any more is waited for: all bytes are back by then. */
const FADED_MS = 200;

export interface ToxicKind {
  type: ToxicType;
  description: string;
  example: FaultPlan;
  /** Which fields of a plan it cannot do without. */
  needs: readonly (keyof FaultPlan)[];
  attributes(plan: FaultPlan): Record<string, number>;
  /** Makes connections through the witness and says whether the effect is there. */
  effect(witness: InjectorProxy, plan: FaultPlan, ms: number): Promise<boolean>;
}

export function toxicFault(kind: ToxicKind): FaultKind {
  const { type, description, example } = kind;
  return { name: type, by: 'toxiproxy', description, example, create: () => create(kind) };
}

function create(kind: ToxicKind): Fault {
  let plan: FaultPlan = {};
  let proxies: { link: InjectorProxy; witness: InjectorProxy } | undefined;
  let toxics: { link: InjectorToxic; witness: InjectorToxic } | undefined;
  /** Whatever the injector refuses makes a fault unproven. */
  const holds = (look: () => Promise<boolean>) => look().catch(() => false);
  return {
    name: kind.type,
    async arm(link, how) {
      const missing = kind.needs.filter((field) => how[field] === undefined);
      if (missing.length > 0) throw new TypeError(`${kind.type} needs ${missing.join(', ')}`);
      plan = how;
      const proxy = await link.proxy();
      const { injector } = link;
      if (injector === undefined) throw new TypeError(`the link ${link.name} has a proxy, but no injector`);
      const witness = await injector.createProxy('witness', injector.echo);
      proxies = { link: proxy, witness };
      const spec = {
        type: kind.type,
        direction: how.direction ?? 'downstream',
        attributes: kind.attributes(how),
      };
      const now = how.later === true ? 0 : 1;
      toxics = {
        link: await proxy.addToxic({ ...spec, toxicity: now * (how.toxicity ?? 1) }),
        witness: await witness.addToxic({ ...spec, toxicity: now }),
      };
    },
    async strike() {
      if (toxics === undefined || plan.later !== true)
        throw new TypeError(`${kind.type} was not armed with "later"`);
      await toxics.link.update({ toxicity: plan.toxicity ?? 1 });
      await toxics.witness.update({ toxicity: 1 });
    },
    verify: (deadlineMs = EFFECT_MS) =>
      holds(async () => {
        if (proxies === undefined || toxics === undefined) return false;
        const { enabled, toxics: shown } = await proxies.link.state();
        return (
          enabled &&
          shown.includes(toxics.link.name) &&
          (await kind.effect(proxies.witness, plan, deadlineMs))
        );
      }),
    async clear() {
      await toxics?.link.remove();
      await toxics?.witness.remove();
      toxics = undefined;
    },
    gone: (deadlineMs = EFFECT_MS) =>
      holds(async () => {
        if (proxies === undefined || toxics !== undefined) return false;
        const { toxics: shown } = await proxies.link.state();
        const { bytes, end } = await probe(proxies.witness.address, { send: 1000, ms: deadlineMs });
        const faded = bytes === 1000 && end === 'open' && !(await stillThere(kind, proxies.witness, plan));
        await proxies.witness.remove();
        return shown.length === 0 && faded;
      }),
  };
}

/** Only what takes time may look the same for a moment on a slow host, so it is looked at again. */
async function stillThere(kind: ToxicKind, witness: InjectorProxy, plan: FaultPlan): Promise<boolean> {
  for (let look = 0; look < 3; look += 1) if (!(await kind.effect(witness, plan, FADED_MS))) return false;
  return true;
}
