/** The connections to one peer, which can be given up together. */
import type { Dispatcher } from 'undici';
import { type DialOptions, dial } from './dial.js';

export interface Pool {
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
  /** From now on every request takes a new connection: an idle one may have died without a word, as another just did. */
  abandon(): void;
  destroy(): Promise<void>;
}

export function openPool(options: DialOptions): Pool {
  let current = dial(options);
  const former = new Set<Dispatcher>();
  return {
    request: (request) => current.request(request),
    abandon() {
      const left = current;
      current = dial(options);
      former.add(left);
      // What is under way in it may still be answered, or runs into its own time limit.
      const gone = () => void former.delete(left);
      left.close().then(gone, gone);
    },
    destroy: async () => void (await Promise.all([current, ...former].map((one) => one.destroy()))),
  };
}
