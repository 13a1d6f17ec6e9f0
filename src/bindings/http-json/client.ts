/** The coordinator's side of the HTTP+JSON binding. */
import type { PeerConnection } from '../../coordinator/connection.js';
import { connectOverHttp, type HttpCall, type HttpClientOptions } from '../http/connect.js';
import { readAnswer } from './answer.js';
import { MEDIA_TYPE } from './media-type.js';

export function connectHttpJson(options: HttpClientOptions): PeerConnection {
  return connectOverHttp(options, {
    binding: 'HTTP+JSON',
    call(operation, { id, ...rest }) {
      const task = `/tasks/${encodeURIComponent(String(id))}`;
      if (operation === 'GetTask') return call('GET', task);
      if (operation === 'CancelTask') return call('POST', `${task}:cancel`, rest);
      // As the specification's text has it; its proto has GET, which the server takes too.
      if (operation === 'SubscribeToTask') return call('POST', `${task}:subscribe`, rest);
      return call('POST', '/message:send', rest);
    },
  });
}

function call(method: HttpCall['method'], path: string, body?: Record<string, unknown>): HttpCall {
  return {
    method,
    path,
    ...(body === undefined ? {} : { body: { type: MEDIA_TYPE, text: JSON.stringify(body) } }),
    answer: readAnswer,
    item: (text) => readAnswer(200, text),
  };
}
