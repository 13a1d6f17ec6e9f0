/** The reference relay as a subject: a process of its own between both sides, with a link on the executor's side. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Address, Lab, LabPeer, Link } from '../lab/ports.js';
import { HELD_SECRET } from './held-secret.js';
import { DEFECT_ENTRY, PEER_CLI } from './paths.js';

export interface RelaySubject {
  readonly id: string;
  /** `https://…/`, its identity. */
  readonly url: string;
  /** PEM file of the authority of its certificate. */
  readonly ca: string;
  readonly servername: string;
  /** Between the executor and the relay. */
  readonly executorLink: Link;
  address(): Address;
  /** Everything that it has written to stdout and stderr, not redacted; the most that it can be told to write. */
  logs(): Buffer;
  /** Of the process that runs now. */
  pid(): number;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** The last of what a relay writes, in bytes. */
const LOG_KEPT = 8 * 1024 * 1024;

interface Peers {
  executors: { peer: string; route: string; keys: string }[];
  coordinators: { peer: string; keys: string; routes: string[] }[];
  /** PEM files of an executor's certificate and its key, which only a relay that is wrong on purpose is given. */
  secret?: { cert: string; key: string };
}

export interface RelayVariant {
  defect?: string | undefined;
  id?: string;
  ping?: { intervalMs: number; timeoutMs: number };
  /** Bytes that it may hold of one connection in one direction; its own default else. */
  bufferBytes?: number | undefined;
}

const PING = { intervalMs: 250, timeoutMs: 5000 };

/** Keys are paths of public halves. A relay that is started again takes the port that it had. */
export async function relaySubject(
  lab: Lab,
  name: string,
  peers: Peers,
  { defect, id = 'relay-1', ping = PING, bufferBytes }: RelayVariant = {},
): Promise<RelaySubject> {
  const host = `${id}.lab`;
  const folder = join(lab.folder, name);
  mkdirSync(folder, { recursive: true });
  const authority = await lab.authority();
  const { cert, key } = await authority.issue(name, { dns: [host] });
  const file = join(folder, 'relay.yaml');
  const configure = (port: number) =>
    writeFileSync(
      file,
      stringify({
        relay: id,
        listen: { address: `127.0.0.1:${port}`, tls: { cert, key, client_ca: authority.ca } },
        executors: peers.executors.map(({ peer, route, keys }) => ({ peer, route, key: keys })),
        coordinators: peers.coordinators.map(({ peer, keys, routes }) => ({
          peer,
          token_keys: keys,
          routes,
        })),
        ping: { interval: `${ping.intervalMs}ms`, timeout: `${ping.timeoutMs}ms` },
        keys: { reread: '1s' },
        ...(bufferBytes === undefined ? {} : { limits: { buffer: `${bufferBytes / 1024}KiB` } }),
      }),
    );
  const written: Buffer[] = [];
  let kept = 0;
  if (defect !== undefined && peers.secret !== undefined)
    writeFileSync(join(folder, HELD_SECRET), JSON.stringify(peers.secret));
  let process_: LabPeer | undefined;
  let address: Address = { host: '127.0.0.1', port: 0 };
  const start = async () => {
    configure(address.port);
    process_ = await lab.startPeer({
      name,
      argv:
        defect === undefined
          ? [process.execPath, PEER_CLI, 'relay', '--config', file]
          : [process.execPath, DEFECT_ENTRY, defect, 'relay', file],
      cwd: folder,
      env: { OAB_LOG: 'trace' },
      output(bytes) {
        written.push(bytes);
        kept += bytes.length;
        while (kept > LOG_KEPT) kept -= written.shift()?.length ?? 0;
      },
    });
    const [at = '127.0.0.1', port = '0'] = (process_.ready.listen.https ?? '').split(':');
    address = { host: at, port: Number(port) };
  };
  await start();
  return {
    id,
    url: `https://${host}/`,
    ca: authority.ca,
    servername: host,
    executorLink: await lab.link(`${name}-executor-relay`, address),
    address: () => address,
    logs: () => Buffer.concat(written),
    pid: () => process_?.pid ?? -1,
    kill: async () => void (await process_?.kill()),
    start,
  };
}
