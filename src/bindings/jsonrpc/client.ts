/** The coordinator's side of the JSON-RPC binding. */
import type { PeerConnection } from '../../coordinator/connection.js';
import { connectOverHttp, type HttpClientOptions } from '../http/connect.js';
import { readAnswer } from './answer.js';

export function connectJsonRpc(options: HttpClientOptions): PeerConnection {
  let nextId = 1;
  return connectOverHttp(options, {
    binding: 'JSONRPC',
    call(method, params) {
      const id = nextId++;
      return {
        method: 'POST',
        path: '',
        body: { type: 'application/json', text: JSON.stringify({ jsonrpc: '2.0', id, method, params }) },
        answer: (status, text) => readAnswer(status, text, id),
        item: (text) => readAnswer(200, text, id),
      };
    },
  });
}
