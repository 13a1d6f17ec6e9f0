import type { Outbox } from '../../../bindings/websocket/outbox.js';
import type { Defect } from '../defect.js';

/** RPL-02: whoever reads it comes back for more of a log that is whole (docs/bindings/wss.md). */
export const callsEndsInterruptions: Defect = {
  id: 'calls-ends-interruptions',
  breaks: 'on WSS a stream that reached the terminal event ends as interrupted',
  fails: ['RPL-02', 'RPL-09', 'PRF-22'],
  bindings: ['WSS'],
  executor: (parts) => ({
    ...parts,
    protocol: (protocol) => ({
      ...protocol,
      read(text) {
        const frame = protocol.read(text);
        if (frame.kind !== 'request' || !('follow' in frame.request.work)) return frame;
        const { follow } = frame.request.work;
        const work = {
          follow: (asker: Parameters<typeof follow>[0], stream: Parameters<typeof follow>[1]) =>
            follow(asker, { ...stream, outbox: interrupting(stream.outbox) }),
        };
        return { ...frame, request: { ...frame.request, work } };
      },
    }),
  }),
};

function interrupting(outbox: Outbox): Outbox {
  return { ...outbox, send: (text) => outbox.send(text.replace('"complete"', '"interrupted"')) };
}
