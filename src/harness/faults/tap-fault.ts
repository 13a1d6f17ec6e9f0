/** What the faults of our own tap have in common: each is one kind of cut. */
import { within } from '../lab/deadline.js';
import type { ArmedCut, CutKind, Link } from '../lab/ports.js';
import type { FaultKind, FaultPlan } from './fault.js';
import { probe } from './probe.js';

const GONE_MS = 5000;

export function tapFault(kind: CutKind, description: string): FaultKind {
  return {
    name: kind,
    by: 'tap',
    description,
    example: { direction: 'downstream', at: { byte: 10 } },
    create() {
      let link: Link | undefined;
      let plan: FaultPlan = {};
      let cut: ArmedCut | undefined;
      return {
        name: kind,
        async arm(on, how) {
          link = on;
          plan = how;
          if (how.later === true) return;
          if (how.at === undefined) throw new TypeError(`${kind} needs "at", or "later"`);
          cut = on.tap.arm({ kind, direction: how.direction ?? 'downstream', at: how.at }, how.connection);
        },
        async strike() {
          if (link === undefined || cut !== undefined)
            throw new TypeError(`${kind} was not armed with "later"`);
          const { connection = link.tap.connections.length - 1, direction = 'downstream' } = plan;
          const index = connection === 'next' ? link.tap.connections.length - 1 : connection;
          cut = link.tap.arm({ kind, direction, at: 'now' }, index);
        },
        verify: async (deadlineMs) => (await cut?.verify(deadlineMs)) ?? false,
        async clear() {
          cut?.clear();
        },
        async gone(deadlineMs = GONE_MS) {
          if (link === undefined) return false;
          // A new connection passes unharmed: it is accepted, spliced to the peer, and stays open.
          const index = link.tap.connections.length;
          const seen = probe(link.address, { send: 0, ms: deadlineMs });
          const connection = await link.tap.connection(index, deadlineMs).catch(() => undefined);
          const whole = (await seen).end === 'open' && connection !== undefined;
          await within(connection?.closed ?? Promise.resolve(), deadlineMs, 'its end').catch(() => undefined);
          return whole;
        },
      };
    },
  };
}
