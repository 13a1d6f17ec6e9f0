/** The bindings that an executor's configuration lists, over one service on one listener. */
import { agentCard, type CardInterface } from '../bindings/a2a/card.js';
import { cardRoute } from '../bindings/http/card-route.js';
import type { Route } from '../bindings/http/listener.js';
import { httpJsonRoute } from '../bindings/http-json/server.js';
import { jsonRpcRoute } from '../bindings/jsonrpc/server.js';
import { oabProtocol } from '../bindings/oab/protocol.js';
import type { Protocol } from '../bindings/websocket/protocol.js';
import { type WebSockets, webSockets } from '../bindings/websocket/server.js';
import { wssProtocol } from '../bindings/wss/protocol.js';
import type { DelegationService } from '../executor/service.js';
import { systemClock } from '../executor/system-clock.js';
import { WSS_BINDING } from '../profile/names.js';
import type { Log } from '../telemetry/log.js';
import type { ExecutorSettings } from './config/executor-file.js';
import type { SpokenBinding } from './config/spoken.js';
import type { ExecutorPeerParts } from './executor.js';

interface Served {
  routes: Route[];
  sockets?: WebSockets;
}

/** An A2A card is served where an A2A binding is: the custom OAB protocol has none, and describes itself. */
export function serveBindings(
  { config, bindings }: ExecutorSettings,
  parts: ExecutorPeerParts,
  service: DelegationService,
  log: Log,
): Served {
  const { authenticator, checkNegotiated, readCreate, writeEvents, readRequest, sendItems } = parts;
  const { refusedAs, letGoOfTheSilent, protocol } = parts;
  const { now } = systemClock;
  const path = new URL(config.publicUrl).pathname;
  const listed = bindings.flatMap((binding) => interfaceOf(binding, config.publicUrl));
  const interfaces = () => listed;
  const seen = new Map(bindings.map((binding) => [binding, parts.service(service, binding)]));
  const base = (binding: SpokenBinding) => ({
    service: seen.get(binding) ?? service,
    authenticator,
    now,
    log,
  });
  const a2a = (binding: SpokenBinding) => ({ ...base(binding), interfaces, checkNegotiated, readCreate });
  const routes: Route[] = [];
  const described = bindings.find((binding) => binding !== 'OAB');
  if (described !== undefined) {
    const { service: own } = base(described);
    routes.push(cardRoute(() => agentCard(own.describe(), listed)));
  }
  if (seen.has('JSONRPC')) routes.push(jsonRpcRoute({ ...a2a('JSONRPC'), writeEvents }, path));
  // Last: it takes whatever is below its path.
  if (seen.has('HTTP+JSON'))
    routes.push(httpJsonRoute({ ...a2a('HTTP+JSON'), writeEvents, refusedAs }, path));
  const protocols: Protocol[] = [];
  if (seen.has('WSS')) protocols.push(protocol(wssProtocol({ ...a2a('WSS'), sendItems })));
  if (seen.has('OAB')) protocols.push(protocol(oabProtocol({ ...base('OAB'), readRequest, sendItems })));
  const inFrames = bindings.find((binding) => binding === 'WSS' || binding === 'OAB');
  return {
    routes,
    ...(inFrames === undefined
      ? {}
      : { sockets: webSockets({ ...base(inFrames), letGoOfTheSilent }, protocols, path) }),
  };
}

function interfaceOf(binding: SpokenBinding, url: string): CardInterface[] {
  if (binding === 'OAB') return [];
  if (binding === 'WSS') return [{ url: url.replace(/^http/, 'ws'), protocolBinding: WSS_BINDING }];
  return [{ url, protocolBinding: binding }];
}
