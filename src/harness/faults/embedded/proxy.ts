/** One proxy of the stand-in: a listener, its toxics, its connections. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Connection, type PlacedToxic } from './connection.js';

export class EmbeddedProxy {
  readonly name: string;
  upstream: string;
  listen: string;
  enabled = false;
  toxics: PlacedToxic[] = [];
  readonly #random: () => number;
  readonly #connections = new Set<Connection>();
  #server: Server | undefined;

  constructor(name: string, listen: string, upstream: string, random: () => number) {
    this.name = name;
    this.listen = listen;
    this.upstream = upstream;
    this.#random = random;
  }

  async enable(): Promise<void> {
    if (this.enabled) return;
    const [host, port] = split(this.listen);
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const [upstreamHost, upstreamPort] = split(this.upstream);
      const connection: Connection = new Connection(
        client,
        { host: upstreamHost, port: upstreamPort },
        () => this.toxics,
        this.#random,
        () => this.#connections.delete(connection),
      );
      this.#connections.add(connection);
    });
    server.listen(port, host);
    await once(server, 'listening');
    const bound = server.address() as AddressInfo;
    this.listen = `${bound.address}:${bound.port}`;
    this.#server = server;
    this.enabled = true;
  }

  async disable(): Promise<void> {
    if (!this.enabled) return;
    this.enabled = false;
    for (const connection of [...this.#connections]) connection.close('fin');
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    await closed;
  }

  refresh(): void {
    for (const connection of this.#connections) connection.refresh();
  }

  json(): Record<string, unknown> {
    const toxics = this.toxics.map(toxicJson);
    return { name: this.name, listen: this.listen, upstream: this.upstream, enabled: this.enabled, toxics };
  }
}

export function toxicJson({
  name,
  toxic,
  stream,
  toxicity,
  attributes,
}: PlacedToxic): Record<string, unknown> {
  return { name, type: toxic.type, stream, toxicity, attributes };
}

function split(address: string): [string, number] {
  const colon = address.lastIndexOf(':');
  return [address.slice(0, colon) || '127.0.0.1', Number(address.slice(colon + 1))];
}
