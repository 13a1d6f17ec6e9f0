/** One proxy of the stand-in: a listener, its toxics, its connections. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Connection, type PlacedToxic } from './connection.js';

/** Gives the stream of chances of one connection, by its place in the order of acceptance. */
export type Chances = (connection: number) => () => number;

export class EmbeddedProxy {
  readonly name: string;
  upstream: string;
  listen: string;
  enabled = false;
  toxics: PlacedToxic[] = [];
  readonly #chances: Chances;
  readonly #connections = new Set<Connection>();
  #server: Server | undefined;
  #accepted = 0;

  constructor(name: string, listen: string, upstream: string, chances: Chances) {
    this.name = name;
    this.listen = listen;
    this.upstream = upstream;
    this.#chances = chances;
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
        this.#chances(this.#accepted),
        () => this.#connections.delete(connection),
      );
      this.#accepted += 1;
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
    for (const connection of [...this.#connections]) connection.destroy();
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    await closed;
  }

  /** These are its toxics from now on, on live connections too. */
  put(toxics: PlacedToxic[]): void {
    this.toxics = toxics;
    for (const connection of this.#connections) connection.refresh();
  }

  /** After the toxicity or the attributes of this toxic were changed. */
  restart(toxic: PlacedToxic): void {
    for (const connection of this.#connections) connection.restart(toxic);
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
