/** The relay's process: configuration to a running relay, one ready line, a polite end. */
import { fingerprint, openTlsFiles } from '../identity/tls-files.js';
import { permits, type RelayPeer } from '../relay/policy.js';
import { Registry } from '../relay/registry.js';
import { openRelay, type RelayParts } from '../relay/relay.js';
import { splice } from '../relay/splice.js';
import { createLog } from '../telemetry/log.js';
import { type Callers, openCallers } from './callers.js';
import { ConfigError } from './config/config-error.js';
import { type RelayPeerSettings, readRelayFile } from './config/relay-file.js';
import { rereadKeys } from './reread-keys.js';
import { untilAsked } from './until-asked.js';
import { VERSION } from './version.js';

/** How long a polite end waits for the connections under way. */
const DRAIN_MS = 30_000;

/** Runs until SIGTERM or SIGINT; throws ConfigError or KeyFileError before anything listens. */
export async function runRelay(
  file: string,
  transform: (parts: RelayParts) => RelayParts = (parts) => parts,
): Promise<void> {
  const settings = readRelayFile(file);
  const log = createLog(settings.relay, process.env.OAB_LOG ?? 'info');
  const tls = openTlsFiles(settings.tls);
  const clientCa = settings.tls.ca !== undefined;
  const executors = known(settings.executors, clientCa);
  const coordinators = known(settings.coordinators, clientCa);
  const listenerTls = () => ({ ...tls.current(), askCertificate: true });
  const { host, port, place } = settings.listen;
  const relay = await openRelay(
    host,
    port,
    listenerTls(),
    {
      relay: settings.relay,
      executors: executors.peers,
      coordinators: coordinators.peers,
      limits: settings.limits,
      liveness: settings.liveness,
      skewMs: settings.skewMs,
    },
    transform({ now: Date.now, log, registry: () => new Registry(), splice, permits }),
  ).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([
      `${place}: ${host}:${port} cannot be listened on (${error.code ?? error.message})`,
    ]);
  });
  // A tunnel and a way outlive the token that opened them, but not its key.
  const recheck = () => relay.recheck();
  const stopRereading = rereadKeys(
    [
      ...[...executors.files, ...coordinators.files].map(({ reload }) => ({ reload, changed: recheck })),
      {
        reload: tls.reload,
        changed: () => {
          relay.renew(listenerTls());
          log.info({ certificate: fingerprint(tls.current().cert) }, 'a renewed certificate is in force');
        },
      },
    ],
    settings.rereadMs,
    log,
  );
  process.stdout.write(
    `${JSON.stringify({ ready: true, listen: { https: relay.address }, pid: process.pid, version: VERSION })}\n`,
  );
  await untilAsked(log);
  stopRereading();
  await relay.close(DRAIN_MS);
}

function known(settings: readonly RelayPeerSettings[], clientCa: boolean) {
  const callers: Callers = openCallers(
    settings.map((one) => ({ ...one, capabilities: [] })),
    clientCa,
  );
  const peers = settings.map(({ peer, routes }): RelayPeer => {
    const tokens = callers.tokens.get(peer);
    const certificate = callers.certificates.get(peer);
    return {
      peer,
      routes,
      ...(tokens === undefined ? {} : { tokens }),
      ...(certificate === undefined ? {} : { certificate }),
    };
  });
  return {
    peers,
    files: [...callers.tokens.values(), ...callers.pins.values()],
  };
}
