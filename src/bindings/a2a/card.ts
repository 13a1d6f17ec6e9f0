/** The agent card, as ProtoJSON (A2A 8; profile section 2). */
import type { Description } from '../../executor/service.js';
import { A2A_VERSION, EXT } from '../../profile/names.js';

export interface CardInterface {
  url: string;
  protocolBinding: string;
}

/** Interfaces in the order of preference; a card lists only bindings that honour the profile identically. */
export function agentCard(
  description: Description,
  interfaces: readonly CardInterface[],
): Record<string, unknown> {
  return {
    name: `OAB ${description.peer}`,
    description: 'Runs one bounded task that a configured peer delegates, and returns a signed result.',
    version: description.version,
    supportedInterfaces: interfaces.map((one) => ({ ...one, protocolVersion: A2A_VERSION })),
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: true,
      extensions: [
        {
          uri: EXT,
          required: description.required,
          description:
            'OAB Delegation Profile: attenuated authority, idempotent requests, durable events, signed results.',
          params: description.params,
        },
      ],
    },
    securitySchemes: {
      agentToken: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'oab-agent+jwt' } },
    },
    securityRequirements: [{ schemes: { agentToken: { list: [] } } }],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: 'delegate',
        name: 'Delegated task',
        description: 'One task as text, within the capabilities, deadline and budget of its request.',
        tags: ['delegation'],
      },
    ],
  };
}
