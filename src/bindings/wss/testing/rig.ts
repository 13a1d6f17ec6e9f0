/** The binding over a real executor, with its card and the JSON-RPC binding beside it on the same listener. */
import type { ExecutorConfig } from '../../../executor/config.js';
import { requestFromParams } from '../../../profile/message.js';
import { EXT, WSS_BINDING } from '../../../profile/names.js';
import { agentCard } from '../../a2a/card.js';
import { cardRoute } from '../../http/card-route.js';
import { writeEvents } from '../../http/event-stream.js';
import type { ListenOptions } from '../../http/listener.js';
import { checkNegotiated } from '../../http/negotiation.js';
import { jsonRpcRoute } from '../../jsonrpc/server.js';
import { sendItems } from '../../websocket/stream.js';
import { openRig as open } from '../../websocket/testing/rig.js';
import { wssProtocol } from '../protocol.js';

export { bearer, type RawConnection } from '../../websocket/testing/rig.js';

const HOST = 'oab-b.lab';

export const NEGOTIATED = { 'A2A-Version': '1.0', 'A2A-Extensions': EXT };

export function openRig(config: Partial<ExecutorConfig> = {}, where: Pick<ListenOptions, 'tls'> = {}) {
  const s = where.tls === undefined ? '' : 's';
  const interfaces = () => [
    { url: `ws${s}://${HOST}/`, protocolBinding: WSS_BINDING },
    { url: `http${s}://${HOST}/`, protocolBinding: 'JSONRPC' },
  ];
  const a2a = { interfaces, checkNegotiated, readCreate: requestFromParams };
  return open(
    {
      protocol: (base) => wssProtocol({ ...base, ...a2a, sendItems }),
      routes: (base) => [
        cardRoute(() => agentCard(base.service.describe(), interfaces())),
        jsonRpcRoute({ ...base, ...a2a, writeEvents }, '/'),
      ],
      request: (method, params, token) => ({
        method,
        params,
        serviceParameters: { ...NEGOTIATED, Authorization: `Bearer ${token}` },
      }),
    },
    config,
    {},
    where,
  );
}
