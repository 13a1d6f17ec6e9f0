/** The bindings that an executor's configuration lists, over one service on one listener. */
import { agentCard } from '../bindings/a2a/card.js';
import { cardRoute } from '../bindings/http/card-route.js';
import type { Route } from '../bindings/http/listener.js';
import { jsonRpcRoute } from '../bindings/jsonrpc/server.js';
import { type OabServer, oabServer } from '../bindings/oab/server.js';
import type { DelegationService } from '../executor/service.js';
import { systemClock } from '../executor/system-clock.js';
import type { Log } from '../telemetry/log.js';
import type { ExecutorSettings } from './config/executor-file.js';
import type { ExecutorPeerParts } from './executor.js';

interface Served {
  routes: Route[];
  oab?: OabServer;
}

/** An A2A card is served where an A2A binding is: the custom OAB protocol has none, and describes itself. */
export function serveBindings(
  { config, bindings }: ExecutorSettings,
  parts: ExecutorPeerParts,
  service: DelegationService,
  log: Log,
): Served {
  const { authenticator } = parts;
  const { now } = systemClock;
  const path = new URL(config.publicUrl).pathname;
  const served: Served = { routes: [] };
  if (bindings.includes('JSONRPC')) {
    const interfaces = () => [{ url: config.publicUrl, protocolBinding: 'JSONRPC' }];
    const { checkNegotiated, readCreate, writeEvents } = parts;
    served.routes.push(
      cardRoute(() => agentCard(service.describe(), interfaces())),
      jsonRpcRoute(
        { service, authenticator, interfaces, now, log, checkNegotiated, readCreate, writeEvents },
        path,
      ),
    );
  }
  if (bindings.includes('OAB')) {
    const { readRequest, sendItems } = parts;
    served.oab = oabServer({ service, authenticator, now, log, readRequest, sendItems }, path);
  }
  return served;
}
