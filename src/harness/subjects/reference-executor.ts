/** The reference executor as a subject: real files, a real process, nothing that a stranger's would not have. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import type { BindingName } from '../../profile/names.js';
import type { Cell } from '../check.js';
import { storeHook } from '../faults/store/hook.js';
import type { Address, Lab, LabPeer } from '../lab/ports.js';
import { httpJsonProbe } from '../wire/http-json-probe.js';
import { Identity } from '../wire/identity.js';
import { jsonRpcProbe } from '../wire/jsonrpc-probe.js';
import { oabProbe } from '../wire/oab-probe.js';
import type { Json } from '../wire/probe.js';
import type { Reach } from '../wire/reach.js';
import { wssProbe } from '../wire/wss-probe.js';
import type { ExecutorSettings, ExecutorSubject } from './executor-subject.js';
import { PEER_CLI, SCRIPTED_AGENT } from './paths.js';
import { relaySubject } from './relay-subject.js';
import { OWN_COMMAND, type Variant, variantArgv } from './variant.js';

const PEER = 'oab-b';
const MAX_AUDIT = 64 * 1024 * 1024;
const HOST = 'oab-b.lab';
const URL_ = `https://${HOST}/`;
const ROUTE = `${HOST}:443`;

const PROBES: Record<BindingName, typeof jsonRpcProbe> = {
  JSONRPC: jsonRpcProbe,
  'HTTP+JSON': httpJsonProbe,
  WSS: wssProbe,
  OAB: oabProbe,
};

export const USUAL: ExecutorSettings = {
  heartbeatMs: 250,
  stopGraceMs: 1000,
  windowMs: 7_200_000,
  clockSkewMs: 30_000,
  retentionMs: 86_400_000,
  reconnect: { floorMs: 100, ceilingMs: 5000 },
  ping: { intervalMs: 250, timeoutMs: 5000 },
  relays: 1,
  beside: [],
};

/** Starts an executor on a cell's binding in a folder of its own below the lab's, and in the dual-outbound topology a relay before it. */
export async function referenceExecutor(
  lab: Lab,
  name: string,
  change: Partial<ExecutorSettings>,
  variant: Variant = {},
  { binding, topology }: Cell = { binding: 'JSONRPC', topology: 'direct' },
): Promise<ExecutorSubject> {
  const settings = { ...USUAL, ...change };
  const folder = join(lab.folder, name);
  const at = (path: string) => join(folder, path);
  for (const path of ['workspace', 'probe']) mkdirSync(at(path), { recursive: true });
  writeFileSync(at('workspace/README.md'), 'a file to read\n');
  writeKeys(at);
  const authority = await lab.authority();
  const tls = await authority.issue(name, { dns: [HOST] });
  const relays = await Promise.all(
    Array.from({ length: topology === 'direct' ? 0 : settings.relays }, (_, index) =>
      relaySubject(
        lab,
        `${name}-relay${index === 0 ? '' : `-${index + 1}`}`,
        {
          executors: [{ peer: PEER, route: ROUTE, keys: at('relay.pub.jwks') }],
          coordinators: ['gate', 'gate-other'].map((peer) => ({
            peer,
            keys: at(`${peer}.pub.jwks`),
            routes: [ROUTE],
          })),
          secret: { cert: tls.cert, key: tls.key },
        },
        { defect: variant.relayDefect ?? variant.defect, id: `relay-${index + 1}`, ping: settings.ping },
      ),
    ),
  );
  const [first] = relays;
  const listen = { tls: { cert: tls.cert, key: tls.key, client_ca: authority.ca } };
  const place =
    first === undefined
      ? { listen: { address: '127.0.0.1:0', ...listen } }
      : {
          listen,
          relays: relays.map((relay) => ({
            relay: relay.id,
            url: relay.url.replace(/^https/, 'wss'),
            connect: relay.executorLink.connect,
            ca: relay.ca,
            route: ROUTE,
            key: at('relay.jwks'),
          })),
        };
  writeFileSync(
    at('executor.yaml'),
    stringify({ ...configuration(at, settings), bindings: [binding, ...settings.beside], ...place }),
  );

  const other = variantArgv(variant);
  const argv: [string, ...string[]] =
    other === undefined
      ? [...OWN_COMMAND, 'executor', '--config', at('executor.yaml')]
      : [...other, 'executor', at('executor.yaml')];
  let process_: LabPeer | undefined;
  let address: Address = { host: '127.0.0.1', port: 0 };
  const start = async () => {
    process_ = await lab.startPeer({ name, argv, cwd: folder });
    const [host = '127.0.0.1', port = '0'] = (process_.ready.listen.https ?? '').split(':');
    address = { host, port: Number(port) };
  };
  await start();

  const store = storeHook({ file: at('journal.db'), pid: () => process_?.pid ?? -1 });
  lab.onClose(`the store of ${name}`, () => store('ok'));
  const gate = new Identity('gate', PEER, at('gate.jwks'));
  const ca = readFileSync(authority.ca, 'utf8');
  const reach = (caller: Identity, relay = first): Reach => ({
    subject: { ca, servername: HOST },
    ...(relay === undefined
      ? {}
      : {
          relay: {
            ca,
            servername: relay.servername,
            authority: ROUTE,
            token: () => caller.relayToken(relay.id),
          },
        }),
  });
  const where = first?.address ?? (() => address);
  return {
    peer: PEER,
    url: URL_,
    ca: authority.ca,
    tlsKey: tls.jwk,
    relays,
    ...(first === undefined ? {} : { relay: first }),
    settings,
    hooks: new Set([
      ...(['start', 'stop', 'kill', 'store', 'settings', 'scripted-agent'] as const),
      ...(variant.boundaries === undefined ? [] : (['boundaries'] as const)),
    ]),
    resultKeys: at('results.pub.jwks'),
    gate,
    other: new Identity('gate-other', PEER, at('gate-other.jwks')),
    revoked: new Identity('gate', PEER, at('revoked.jwks')),
    holds: lab.holds(at('probe')),
    address: where,
    probe(caller = gate, relay = first, spoken = binding) {
      const [dialled, way] = [relay?.address ?? where, reach(caller, relay)];
      return PROBES[spoken](caller, URL_, dialled, way);
    },
    kill: async () => void (await process_?.kill()),
    start,
    stop: async () => void (await process_?.stop()),
    store,
    async audit() {
      const argv = [PEER_CLI, 'audit', '--json', '--config', at('executor.yaml')];
      const { stdout } = await promisify(execFile)(process.execPath, argv, { maxBuffer: MAX_AUDIT });
      return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Json]));
    },
  };
}

function writeKeys(at: (path: string) => string): void {
  const now = Date.now() - 60_000;
  const make = (name: string) => {
    const key = newKey(now);
    writeKeyFile(at(`${name}.jwks`), [key], 'private');
    return key;
  };
  const relay = make('relay');
  writeKeyFile(at('relay.pub.jwks'), [relay], 'public');
  const [gate, other, results, revoked] = [
    make('gate'),
    make('gate-other'),
    make('results'),
    make('revoked'),
  ];
  writeKeyFile(at('results.pub.jwks'), [results], 'public');
  writeKeyFile(at('gate.pub.jwks'), [gate, { ...revoked, state: 'revoked' }], 'public');
  writeKeyFile(at('gate-other.pub.jwks'), [other], 'public');
}

function configuration(at: (path: string) => string, settings: ExecutorSettings): Record<string, unknown> {
  const ms = (value: number) => `${value}ms`;
  return {
    peer: PEER,
    public_url: URL_,
    keys: { results: at('results.jwks'), reread: '1s' },
    peers: [
      { peer: 'gate', token_keys: at('gate.pub.jwks'), capabilities: ['repo:read'], max_running: 64 },
      {
        peer: 'gate-other',
        token_keys: at('gate-other.pub.jwks'),
        capabilities: ['repo:read'],
        max_running: 64,
      },
    ],
    capabilities: ['repo:read', 'exec'],
    limits: { running: 64, rate: '100000/s', clock_skew: ms(settings.clockSkewMs), ...settings.limits },
    idempotency: { window: ms(settings.windowMs) },
    stream: { heartbeat: ms(settings.heartbeatMs) },
    reconnect: { floor: ms(settings.reconnect.floorMs), ceiling: ms(settings.reconnect.ceilingMs) },
    ping: { interval: ms(settings.ping.intervalMs), timeout: ms(settings.ping.timeoutMs) },
    journal: { sqlite: at('journal.db'), retention: ms(settings.retentionMs) },
    agent: {
      command: [
        ...(settings.agentWrapper === undefined
          ? []
          : ['sh', '-c', 'sh "$0" "$@"; :', settings.agentWrapper]),
        ...[process.execPath, SCRIPTED_AGENT, '--probe', at('probe'), ...(settings.agentArguments ?? [])],
      ],
      env: ['PATH'],
      workspace: at('workspace'),
      stop_grace: ms(settings.stopGraceMs),
      coalesce: false,
      sandbox: 'off',
    },
  };
}
