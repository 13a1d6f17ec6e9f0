/** The custom OAB protocol over a real executor. */
import { parseRequest } from '../../../profile/request.js';
import { sendItems } from '../../websocket/stream.js';
import { openRig as open } from '../../websocket/testing/rig.js';
import { type OabParts, oabProtocol } from '../protocol.js';

export { bearer, type RawConnection } from '../../websocket/testing/rig.js';

type Rest = Parameters<typeof open> extends [unknown, ...infer R] ? R : never;

export function openRig(
  config: Rest[0] = {},
  { authenticator, ...parts }: Partial<Pick<OabParts, 'sendItems' | 'authenticator'>> = {},
  where: Rest[2] = {},
) {
  return open(
    {
      protocol: (base) => oabProtocol({ ...base, readRequest: parseRequest, sendItems, ...parts }),
      request: (method, params, token) => ({ method, params, token }),
    },
    config,
    authenticator === undefined ? {} : { authenticator },
    where,
  );
}
