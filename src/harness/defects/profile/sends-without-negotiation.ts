import { readFileSync } from 'node:fs';
import { request } from 'node:https';
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
  const { executor } = JSON.parse(readFileSync(process.env.OAB_GATE_JOB ?? '', 'utf8')) as {
    executor: { connect: string; ca: string; card: string };
  };
  const params = { message: messageFromRequest({ request_id: requestId, task: 'x' } as never) };
  const [host = '', port = ''] = executor.connect.split(':');
  await new Promise((resolve, reject) => {
    request(
      {
        host,
        port,
        method: 'POST',
        servername: new URL(executor.card).hostname,
        ca: readFileSync(executor.ca),
      },
      resolve,
    )
      .once('error', reject)
      .end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }));
  });
}
