/** Every binding over one real executor on one listener, a client of each, and raw requests that say whatever a test wants said. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { PeerConnection } from '../../coordinator/connection.js';
import type { ExecutorConfig } from '../../executor/config.js';
import { requestFromParams } from '../../profile/message.js';
import { EXT, WSS_BINDING } from '../../profile/names.js';
import { parseRequest } from '../../profile/request.js';
import { silentLog } from '../../telemetry/log.js';
import { agentCard } from '../a2a/card.js';
import { cardRoute } from '../http/card-route.js';
import type { HttpClientOptions } from '../http/connect.js';
import { writeEvents } from '../http/event-stream.js';
import { listen } from '../http/listener.js';
import { checkNegotiated } from '../http/negotiation.js';
import { connectHttpJson } from '../http-json/client.js';
import { httpJsonRoute } from '../http-json/server.js';
import { refusedAs } from '../http-json/status.js';
import { connectJsonRpc } from '../jsonrpc/client.js';
import { jsonRpcRoute } from '../jsonrpc/server.js';
import { connectOab } from '../oab/client.js';
import { oabProtocol } from '../oab/protocol.js';
import { letGoOfTheSilent } from '../websocket/liveness.js';
import { webSockets } from '../websocket/server.js';
import { sendItems } from '../websocket/stream.js';
import { connectWss } from '../wss/client.js';
import { wssProtocol } from '../wss/protocol.js';
import { authenticator, bearer, openHeldExecutor } from './held-executor.js';

export { bearer };

export const URL_ = 'http://oab-b.lab/';

const CLIENTS = {
  JSONRPC: connectJsonRpc,
  'HTTP+JSON': connectHttpJson,
  WSS: connectWss,
  OAB: (options: HttpClientOptions) => connectOab({ ...options, peer: 'oab-b' }),
};
export const SPOKEN = ['JSONRPC', 'HTTP+JSON', 'WSS', 'OAB'] as const;
export type Spoken = (typeof SPOKEN)[number];

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Empty for what is no JSON object. */
  json: Record<string, unknown>;
}

export interface Ask {
  method?: string;
  path?: string;
  body?: string | Buffer | undefined;
  /** '' leaves a usual one out. */
  headers?: Record<string, string>;
  /** Dial this port in place of the listener's own. */
  via?: number;
}

export type Rig = Awaited<ReturnType<typeof openRig>>;

export async function openRig(config: Partial<ExecutorConfig> = {}, open = openHeldExecutor) {
  const { opened, release } = await open(config);
  const { service } = opened;
  const interfaces = () => [
    { url: URL_, protocolBinding: 'JSONRPC' },
    { url: URL_, protocolBinding: 'HTTP+JSON' },
    { url: URL_.replace('http', 'ws'), protocolBinding: WSS_BINDING },
  ];
  const parts = {
    service,
    authenticator,
    interfaces,
    now: Date.now,
    log: silentLog,
    checkNegotiated,
    readCreate: requestFromParams,
    writeEvents,
    refusedAs,
    letGoOfTheSilent,
  };
  const listener = await listen({
    address: { host: '127.0.0.1', port: 0 },
    routes: [
      cardRoute(() => agentCard(service.describe(), interfaces())),
      jsonRpcRoute(parts, '/'),
      httpJsonRoute(parts, '/'),
    ],
    upgrade: webSockets(
      parts,
      [wssProtocol({ ...parts, sendItems }), oabProtocol({ ...parts, readRequest: parseRequest, sendItems })],
      '/',
    ).upgrade,
  });
  const port = Number(listener.address.split(':')[1]);
  const clients: PeerConnection[] = [];

  return {
    opened,
    service,
    port,
    release,
    card: () => agentCard(service.describe(), interfaces()),
    /** Rows of refusals in the audit so far. */
    refusals: async () => {
      // What is queued before this one is written when it is.
      await opened.journal.audit({ kind: 'start', at: 0, detail: {} });
      return opened.journal.audits(0, 1000).filter(({ kind }) => kind === 'refused');
    },
    client(binding: Spoken, more: Partial<HttpClientOptions> = {}): PeerConnection {
      const made = CLIENTS[binding]({
        url: URL_,
        connect: `127.0.0.1:${port}`,
        insecureLoopback: true,
        timeoutMs: 5000,
        credentials: (req) => bearer({ req }),
        ...more,
      });
      clients.push(made);
      return made;
    },
    /** One request on a connection of its own; the whole answer. */
    ask({ method = 'POST', path = '/', body, headers = {}, via = port }: Ask): Promise<Answer> {
      const all = {
        authorization: `Bearer ${bearer()}`,
        'a2a-version': '1.0',
        'a2a-extensions': EXT,
        'content-type': 'application/json',
        ...headers,
      };
      const made = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
      return new Promise((resolve, reject) => {
        const request = httpRequest(
          { port: via, host: '127.0.0.1', method, path, headers: made, agent: false },
          async (response) => {
            let text = '';
            for await (const chunk of response) text += String(chunk);
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              json: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
            });
          },
        );
        request.on('error', reject);
        // A body in pieces announces no length.
        if (body !== undefined && 'transfer-encoding' in headers) request.write(body);
        request.end('transfer-encoding' in headers ? undefined : body);
      });
    },
    async close() {
      release();
      await Promise.all(clients.splice(0).map((client) => client.close()));
      await listener.close(0);
      await opened.close();
    },
  };
}
