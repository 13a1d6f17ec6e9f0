import type { Duplex } from 'node:stream';
import { Registry } from '../../../relay/registry.js';
import type { Tunnel } from '../../../relay/tunnel.js';
import type { Defect } from '../defect.js';

/** RLY-13: at least once, in place of at most once. */
export const sendsAgain: Defect = {
  id: 'sends-again',
  breaks: 'what a coordinator had sent through a tunnel that was lost is sent again through the next one',
  fails: ['RLY-13'],
  bindings: ['JSONRPC'],
  topology: 'dual-outbound',
  relay: (parts) => {
    const lost: Buffer[] = [];
    return {
      ...parts,
      registry: () => new Resending(lost),
      splice(client, stream) {
        const sent: Buffer[] = [];
        client.on('data', (chunk: Buffer) => sent.push(chunk));
        stream.once('error', () => void lost.push(Buffer.concat(sent)));
        parts.splice(client, stream);
      },
    };
  },
};

class Resending extends Registry {
  readonly #lost: Buffer[];

  constructor(lost: Buffer[]) {
    super();
    this.#lost = lost;
  }

  override register(tunnel: Tunnel): void {
    super.register(tunnel);
    for (const bytes of this.#lost.splice(0)) {
      const stream: Duplex = tunnel.open();
      stream.on('error', () => {});
      stream.resume();
      stream.end(bytes);
    }
  }
}
