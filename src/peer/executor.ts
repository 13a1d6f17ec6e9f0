/** The executor's process: configuration and parts to a running peer, one ready line, a polite end. */
import { writeEvents } from '../bindings/http/event-stream.js';
import { type ListenerTls, listen } from '../bindings/http/listener.js';
import { checkNegotiated } from '../bindings/http/negotiation.js';
import { refusedAs } from '../bindings/http-json/status.js';
import { letGoOfTheSilent } from '../bindings/websocket/liveness.js';
import type { Protocol } from '../bindings/websocket/protocol.js';
import { sendItems } from '../bindings/websocket/stream.js';
import { createAcpRunner } from '../executor/agent/acp-runner.js';
import { endOrphan } from '../executor/agent/process-group.js';
import { createExecutor } from '../executor/executor.js';
import type { ExecutorParts } from '../executor/parts.js';
import type { DelegationService } from '../executor/service.js';
import { systemClock } from '../executor/system-clock.js';
import { createAuthenticator } from '../identity/authenticator.js';
import { openKeyStore } from '../identity/key-store.js';
import type { Authenticator } from '../identity/ports.js';
import { fingerprint, openTlsFiles } from '../identity/tls-files.js';
import { openSqliteJournal } from '../journal/sqlite.js';
import { effectiveAuthority } from '../profile/authority.js';
import { signEnvelope } from '../profile/envelope.js';
import { requestFromParams } from '../profile/message.js';
import { judge } from '../profile/outcome.js';
import { parseRequest } from '../profile/request.js';
import { openTunnel } from '../relay/tunnel-client.js';
import { createLog } from '../telemetry/log.js';
import { openCallers } from './callers.js';
import { ConfigError } from './config/config-error.js';
import { readExecutorFile } from './config/executor-file.js';
import type { SpokenBinding } from './config/spoken.js';
import { authorityOf } from './config/units.js';
import { mintId } from './mint.js';
import { countRefusals } from './refusals.js';
import { rereadKeys } from './reread-keys.js';
import { serveBindings } from './serve-bindings.js';
import { openTunnels } from './tunnels.js';
import { untilAsked } from './until-asked.js';
import { VERSION } from './version.js';

/** Everything of an executor's process that a planted defect may replace. */
export interface ExecutorPeerParts {
  executor: ExecutorParts;
  authenticator: Authenticator;
  checkNegotiated: typeof checkNegotiated;
  readCreate: typeof requestFromParams;
  /** How a stream reaches its reader. */
  writeEvents: typeof writeEvents;
  /** Reads a create on the custom OAB protocol. */
  readRequest: typeof parseRequest;
  /** How a stream over WebSocket reaches its reader. */
  sendItems: typeof sendItems;
  /** What a refusal is on HTTP+JSON. */
  refusedAs: typeof refusedAs;
  /** How a WebSocket is kept alive, and found dead. */
  letGoOfTheSilent: typeof letGoOfTheSilent;
  /** Around each protocol over WebSocket, as its connections see it. */
  protocol(protocol: Protocol): Protocol;
  openTunnel: typeof openTunnel;
  /** Around the finished service, as one of the bindings sees it. */
  service(service: DelegationService, binding: SpokenBinding): DelegationService;
}

/** How long a polite end waits for running tasks and open streams. */
const DRAIN_MS = 30_000;
const LINGER_MS = 1000;

/** Runs until SIGTERM or SIGINT; throws ConfigError, JournalUnusable or NoSigningKey before anything listens. */
export async function runExecutor(
  file: string,
  transform: (parts: ExecutorPeerParts) => ExecutorPeerParts = (parts) => parts,
): Promise<void> {
  const settings = readExecutorFile(file);
  const { config } = settings;
  const log = createLog(config.peer);
  const results = openKeyStore(settings.resultKeys);
  const callers = openCallers(settings.callers, settings.tls?.ca !== undefined);
  const tls = settings.tls && openTlsFiles(settings.tls);
  const journal = await openSqliteJournal(settings.journal);
  const parts = transform({
    executor: {
      journal,
      runner: createAcpRunner(settings.agent),
      keys: results,
      clock: systemClock,
      log,
      mint: (kind) => mintId(kind, systemClock.now()),
      authority: effectiveAuthority,
      judge,
      sign: signEnvelope,
      killOrphan: endOrphan,
    },
    authenticator: createAuthenticator({
      self: config.peer,
      peers: callers.tokens,
      certificates: callers.certificates,
      skewMs: config.limits.clockSkewMs,
      windowMs: config.windowMs,
    }),
    checkNegotiated,
    readCreate: requestFromParams,
    writeEvents,
    readRequest: parseRequest,
    sendItems,
    refusedAs,
    letGoOfTheSilent,
    protocol: (protocol) => protocol,
    openTunnel,
    service: (service) => service,
  });
  const executor = createExecutor(config, parts.executor);
  await executor.start();
  const { address, place } = settings.listen;
  const served = serveBindings(settings, parts, executor.service, log);
  const listenerTls = (): ListenerTls | undefined =>
    tls && { ...tls.current(), askCertificate: callers.certificates.size > 0 };
  const listenTls = listenerTls();
  const refusals = countRefusals(log);
  const listener = await listen({
    refused: refusals.count,
    routes: served.routes,
    ...(served.sockets === undefined ? {} : { upgrade: served.sockets.upgrade }),
    ...(address === undefined ? {} : { address }),
    ...(listenTls === undefined ? {} : { tls: listenTls }),
    ...(settings.relays.length === 0 ? {} : { authority: authorityOf(config.publicUrl) }),
  }).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([
      `${place}: ${address?.host}:${address?.port} cannot be listened on (${error.code ?? error.message})`,
    ]);
  });
  const tunnels = openTunnels(settings, listener.accept, log, parts.openTunnel);
  const audited = (detail: Record<string, unknown>) =>
    void parts.executor.journal
      .audit({ kind: 'key', at: systemClock.now(), detail: { executor: config.peer, ...detail } })
      .catch((error: Error) => log.error({ err: error }, 'a change of keys was not audited'));
  const stopRereading = rereadKeys(
    [
      ...[results, ...callers.tokens.values()].map((store) => ({
        reload: store.reload,
        changed: () => audited({ usable: store.publicJwks().map(({ kid }) => kid) }),
      })),
      ...[...callers.pins].map(([peer, pins]) => ({
        reload: pins.reload,
        changed: () => audited({ tls_key: peer }),
      })),
      ...(tls === undefined
        ? []
        : [
            {
              reload: tls.reload,
              changed: () => {
                listener.renew(listenerTls() as ListenerTls);
                audited({ certificate: fingerprint(tls.current().cert) });
              },
            },
          ]),
    ],
    config.revocationMs,
    log,
  );
  // Whoever listens nowhere is ready when a relay leads to it.
  const asked = untilAsked(log);
  if (address === undefined) await Promise.race([tunnels.up, asked]);
  const bound = address === undefined ? {} : { [tls === undefined ? 'http' : 'https']: listener.address };
  process.stdout.write(
    `${JSON.stringify({ ready: true, listen: bound, pid: process.pid, version: VERSION })}\n`,
  );

  await asked;
  // New tasks are refused from here on; the running ones get their time, and then the next start ends them.
  const after = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));
  const busy = executor.running() > 0;
  await Promise.race([executor.drain(), after(DRAIN_MS)]);
  // Whoever has just seen a terminal event comes for the Task with its result.
  if (busy) await after(LINGER_MS);
  served.sockets?.close();
  await Promise.all([listener.close(LINGER_MS), tunnels.close(LINGER_MS)]);
  stopRereading();
  await executor.stop();
  await journal.close();
  log.info({ refused: refusals.counts() }, 'ended');
}
