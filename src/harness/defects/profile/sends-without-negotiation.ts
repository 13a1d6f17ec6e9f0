import { readFileSync } from 'node:fs';
import { NotNegotiated } from '../../../coordinator/connection.js';
import { messageFromRequest } from '../../../profile/message.js';
import type { Defect } from '../defect.js';

/** PRF-03: the card is looked at after the task was sent. */
export const sendsWithoutNegotiation: Defect = {
  id: 'sends-without-negotiation',
  breaks: 'a task is sent to a peer whose card does not have the extension',
  fails: ['PRF-03'],
  bindings: ['JSONRPC'],
  coordinator: (parts) => ({
    ...parts,
    connect(peer, cap) {
      const connection = parts.connect(peer, cap);
      const describe: typeof connection.describe = async (options) => {
        try {
          return await connection.describe(options);
        } catch (error) {
          if (error instanceof NotNegotiated) await blurt(parts.store.all()[0]?.requestId ?? '');
          throw error;
        }
      };
      return { ...connection, describe };
    },
  }),
};

/** What an eager client sends: the message itself, to where it would go. */
async function blurt(requestId: string): Promise<void> {
  const job = JSON.parse(readFileSync(process.env.OAB_GATE_JOB ?? '', 'utf8')) as {
    executor: { connect: string };
  };
  const params = { message: messageFromRequest({ request_id: requestId, task: 'x' } as never) };
  await fetch(`http://${job.executor.connect}/`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }),
  });
}
