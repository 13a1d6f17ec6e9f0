/** A relay with the harness on both sides of it: what it lets through, and what it says to whom. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import type { TunnelClient } from '../../relay/tunnel-client.js';
import type { Lab, Link } from '../lab/ports.js';
import { Identity } from '../wire/identity.js';
import { openWay, type Place, type Way } from './raw-way.js';
import { relaySubject } from './relay-subject.js';
import { makeKeys, openTunnelEnd } from './tunnel-end.js';

const ROUTE = 'oab-b.lab:443';

export interface RelayPair {
  readonly route: string;
  /** Paths of PEM files: a certificate for the executor's name, its key, and the authority of both. */
  readonly tls: { cert: string; key: string; ca: string };
  /** Between the coordinator and the relay, and between the executor and the relay. */
  readonly links: { coordinator: Link; executor: Link };
  /** One more tunnel of `oab-b`, the route's executor. What comes through it is taken and not read unless told otherwise. */
  tunnel(onConnection?: (connection: Duplex) => void): TunnelClient;
  /** A way in the name of `gate`, over the coordinator's link. */
  open(way: Way): Promise<Duplex>;
  /** Where the relay is, for whoever speaks to it by hand. */
  readonly place: Place;
  /** Of the relay's process. */
  pid(): number;
  /** A relay token of somebody. */
  token(who: string): Promise<string>;
  /** Connections that reached the executor's end. */
  accepted(): number;
  /** The whole answer to a CONNECT for a route in somebody's name. */
  say(who: string, route: string): Promise<string>;
  /** Its status; a way that was opened is closed again. */
  connect(who: string): Promise<number>;
  /** The status that a registration of a route in somebody's name gets; 101 when it is taken. */
  register(who: string, route: string): Promise<number>;
}

export interface RelayPairOptions {
  /** Tells several of one case apart. */
  name?: string;
  /** Bytes that either end of a tunnel may hold of one connection. */
  bufferBytes?: number;
}

/** `gate` is granted the route, `gate-other` nothing, `oab-c` has a route of its own, nobody else is configured. */
export async function relayPair(
  lab: Lab,
  defect: string | undefined,
  { name = 'relay', bufferBytes }: RelayPairOptions = {},
): Promise<RelayPair> {
  const keys = Object.fromEntries(
    ['oab-b', 'oab-c', 'gate', 'gate-other', 'nobody'].map((peer) => [
      peer,
      makeKeys(lab, `${name}-${peer}`),
    ]),
  );
  const of = (peer: string) => keys[peer] as { private: string; public: string };
  const authority = await lab.authority();
  const tls = await authority.issue('oab-b', { dns: [ROUTE.replace(/:.*$/, '')] });
  const relay = await relaySubject(
    lab,
    name,
    {
      executors: [
        { peer: 'oab-b', route: ROUTE, keys: of('oab-b').public },
        { peer: 'oab-c', route: 'oab-c.lab:443', keys: of('oab-c').public },
      ],
      coordinators: [
        { peer: 'gate', keys: of('gate').public, routes: [ROUTE] },
        { peer: 'gate-other', keys: of('gate-other').public, routes: [] },
      ],
      secret: tls,
    },
    { defect, bufferBytes },
  );
  const ca = readFileSync(relay.ca, 'utf8');
  const { host, port } = relay.address();
  const place = { host, port, servername: relay.servername, ca };
  const token = (who: string) => new Identity(who, 'oab-b', of(who).private).relayToken(relay.id);
  const links = {
    coordinator: await lab.link(`coordinator-${name}`, relay.address()),
    executor: relay.executorLink,
  };
  let accepted = 0;
  let tunnels = 0;

  const say = async (who: string, route: string): Promise<string> => {
    const socket = tlsConnect({ ...place, minVersion: 'TLSv1.3' });
    socket.write(
      `CONNECT ${route} HTTP/1.1\r\nHost: ${route}\r\nProxy-Authorization: Bearer ${await token(who)}\r\n\r\n`,
    );
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      text += chunk.toString('latin1');
      // An open way does not end by itself.
      if (/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/.test(text)) break;
    }
    socket.destroy();
    return text;
  };

  return {
    route: ROUTE,
    tls: { ...tls, ca: relay.ca },
    links,
    tunnel(onConnection) {
      tunnels += 1;
      return openTunnelEnd(lab, `${name}-oab-b-${tunnels}`, relay, {
        peer: 'oab-b',
        route: ROUTE,
        keyFile: of('oab-b').private,
        // One that was replaced stays away for the rest of a case.
        ceilingMs: 120_000,
        streamWindow: bufferBytes,
        onConnection(connection) {
          accepted += 1;
          connection.on('error', () => {});
          if (onConnection !== undefined) return onConnection(connection);
          // Whoever has gone is answered by an end, as an HTTP server does.
          connection.once('end', () => connection.end());
          connection.resume();
        },
      });
    },
    async open(way) {
      const { host, port } = links.coordinator.address;
      return openWay(way, { ...place, host, port }, ROUTE, await token('gate'));
    },
    place,
    pid: relay.pid,
    token,
    accepted: () => accepted,
    say,
    connect: async (who) => Number((await say(who, ROUTE)).slice(9, 12)),
    register: async (who, route) => {
      const authorization = `Bearer ${await token(who)}`;
      return new Promise((resolve, reject) => {
        const asked = request({
          ...place,
          path: `/tunnel/${encodeURIComponent(route)}`,
          headers: {
            authorization,
            connection: 'Upgrade',
            upgrade: 'websocket',
            'sec-websocket-version': '13',
            'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
            'sec-websocket-protocol': 'oab.tunnel.v1',
          },
          agent: false,
        });
        asked.once('response', (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        asked.once('upgrade', (_, socket) => {
          socket.destroy();
          resolve(101);
        });
        asked.once('error', reject);
        asked.end();
      });
    },
  };
}
