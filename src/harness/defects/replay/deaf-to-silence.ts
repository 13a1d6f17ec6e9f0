import type { Defect } from '../defect.js';

/** RPL-14: a stream on which nothing comes is waited for as long as the delegation lasts. */
export const deafToSilence: Defect = {
  id: 'deaf-to-silence',
  breaks: 'a link that is silent without an end is never given up',
  fails: ['RPL-14'],
  bindings: ['OAB'],
  shownBy: ['/silence'],
  coordinator: (parts) => ({
    ...parts,
    connect(peer, cap) {
      const connection = parts.connect(peer, cap);
      return {
        ...connection,
        async *observe(taskId, call) {
          try {
            yield* connection.observe(taskId, call);
          } catch (error) {
            if (!/heartbeats/.test((error as Error).message)) throw error;
            await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
          }
        },
      };
    },
  }),
};
