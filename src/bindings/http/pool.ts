/** The connections to one peer, which can be given up together. */
import { DecoratorHandler, type Dispatcher } from 'undici';
import { type DialOptions, dial } from './dial.js';

export interface Pool {
  /** `sending` is called when there is a connection for it, just before the first byte: dialling has limits of its own. */
  request(options: Dispatcher.RequestOptions, sending?: () => void): Promise<Dispatcher.ResponseData>;
  /** From now on every request takes a new connection: an idle one may have died without a word, as another just did. */
  abandon(): void;
  destroy(): Promise<void>;
}

export function openPool(options: DialOptions): Pool {
  let current = dial(options);
  const former = new Set<Dispatcher>();
  return {
    request: (request, sending) =>
      (sending === undefined ? current : current.compose(telling(sending))).request(request),
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

function telling(sending: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(
      options,
      Object.assign(new DecoratorHandler(handler), {
        onRequestStart(...started: [Dispatcher.DispatchController, unknown]) {
          sending();
          handler.onRequestStart?.(...started);
        },
      }),
    );
}
