/** The scenarios whose transcript follows from them alone: what the agent is told to do, and what ends the task. */

/** Where the agent of every scenario waits, so that readers can come while nothing moves. */
export const HOLD = 'here';

/** What comes once readers have come: the agent is released, or somebody else ends the task. */
export type Ending =
  | { by: 'agent'; script: readonly string[] }
  | { by: 'cancel' }
  | { by: 'deadline' }
  /** At admission, for this reason of the profile: no agent is ever prompted. */
  | { by: 'refusal'; reason: string };

export interface Scenario {
  /** Commands (docs/agent.md) before the agent waits. */
  script: readonly string[];
  ending: Ending;
  capabilities: readonly string[];
}

const usual = { capabilities: ['repo:read'] };

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  completed: {
    ...usual,
    script: ['say before', 'tool read README.md'],
    ending: {
      by: 'agent',
      script: ['tool-failed search notes', 'say after', 'plan first step; second step', 'say the end'],
    },
  },
  chunked: {
    ...usual,
    script: ['chunks 2 of 40'],
    ending: { by: 'agent', script: ['chunks 4 of 120', 'image', 'resource a report', 'say the rest'] },
  },
  denied: {
    ...usual,
    script: ['say looking'],
    ending: {
      by: 'agent',
      script: ['ask edit main.ts', 'ask read README.md', 'say it was denied'],
    },
  },
  cancelled: { ...usual, script: ['say so far'], ending: { by: 'cancel' } },
  failed: { ...usual, script: ['say no'], ending: { by: 'agent', script: ['stop refusal'] } },
  expired: { ...usual, script: ['say so far'], ending: { by: 'deadline' } },
  // No policy of the lab grants it, whatever the token's bound says.
  rejected: {
    capabilities: ['net:fetch'],
    script: [],
    ending: { by: 'refusal', reason: 'AUTHORITY_EMPTY' },
  },
};

/** What the delegated text says behind its head lines. */
export function scriptOf({ script, ending }: Scenario): string[] {
  return [...script, `hold ${HOLD}`, ...(ending.by === 'agent' ? ending.script : [])];
}
