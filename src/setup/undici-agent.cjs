/** The parts of undici that a peer uses, as undici's own index puts them together; its fetch, WebSocket, cache and mocks stay out. */
const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');
const api = require('undici/lib/api/index.js');

Object.assign(Dispatcher.prototype, api);

exports.Agent = require('undici/lib/dispatcher/agent.js');
exports.buildConnector = require('undici/lib/core/connect.js');
