import { Transform } from 'node:stream';
import type { Defect } from '../defect.js';

/** RLY-13: as a proxy does that takes what it can read for HTTP. What it cannot read it leaves alone. */
export const tidiesHeaders: Defect = {
  id: 'tidies-headers',
  breaks:
    'the relay writes names of headers that it can read in lower case, and takes blanks away around their values',
  fails: ['RLY-13'],
  bindings: ['HTTP+JSON'],
  topology: 'dual-outbound',
  relay: (parts) => ({
    ...parts,
    splice(client, stream) {
      const tidy = new Transform({
        transform(chunk: Buffer, _, done) {
          const text = chunk.toString('latin1');
          done(null, Buffer.from(text.replace(HEADER, tidied), 'latin1'));
        },
      });
      client.pipe(tidy).pipe(stream).pipe(client);
      for (const one of [client, stream])
        one.on('error', () => {
          client.destroy();
          stream.destroy();
        });
      client.on('close', () => stream.destroy());
    },
  }),
};

const HEADER = /^(A2A-Extensions|OAB-Cursor|Last-Event-ID|X-Odd|Cookie|HOST):[ \t]*(.*?)[ \t]*(?=\r\n)/gim;
const tidied = (_: string, name: string, value: string) => `${name.toLowerCase()}: ${value}`;
