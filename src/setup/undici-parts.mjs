/**
 * The parts of undici that a peer uses, as undici's own index puts them together; its fetch, WebSocket, cache and mocks
 * stay out. A module, so that the build refuses an import of a part that is not here.
 */
import api from 'undici/lib/api/index.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

Object.assign(Dispatcher.prototype, api);

export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as DecoratorHandler } from 'undici/lib/handler/decorator-handler.js';
