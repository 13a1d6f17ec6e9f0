/**
 * The SDK's own server: DefaultRequestHandler over InMemoryTaskStore with its event bus, on the same node:http
 * listener. It has no authentication, no extension, nothing durable: what it does not do costs it nothing.
 */
import { AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { listen } from '../../bindings/http/listener.js';
import { Control } from './control.js';
import { stockAgent } from './stock-agent.js';
import { stockRoute } from './stock-route.js';

const card = AgentCard.fromJSON({
  name: 'stock',
  description: '',
  version: '0',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  supportedInterfaces: [{ url: 'http://127.0.0.1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
});
const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), stockAgent(new Control()));
const { address } = await listen({
  address: { host: '127.0.0.1', port: 0 },
  routes: [stockRoute(handler)],
});
process.stdout.write(`${JSON.stringify({ ready: true, listen: { http: address } })}\n`);
