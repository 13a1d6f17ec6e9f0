/** Whoever can use an HTTPS proxy can delegate through the relay: nothing of ours is on the client's side. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { fetch, ProxyAgent } from 'undici';
import { EXT } from '../../profile/names.js';
import { openLab } from '../lab/lab.js';
import type { Lab } from '../lab/ports.js';
import type { Json } from '../wire/probe.js';
import { wireDigest, wireMessage, wireRequest } from '../wire/request.js';
import type { ExecutorSubject } from './executor-subject.js';
import { referenceExecutor } from './reference-executor.js';
import type { RelaySubject } from './relay-subject.js';

const run = promisify(execFile);

interface Ask {
  url: string;
  /** Lines of the request's head; without a body it is a GET. */
  headers: Record<string, string>;
  body?: string;
  relayToken: string;
  relay: RelaySubject;
  ca: string;
}

async function byUndici({ url, headers, body, relayToken, relay, ca }: Ask): Promise<Json> {
  const { host, port } = relay.address();
  const pem = readFileSync(ca, 'utf8');
  const dispatcher = new ProxyAgent({
    uri: `https://${host}:${port}/`,
    token: `Bearer ${relayToken}`,
    proxyTls: { ca: pem, servername: relay.servername },
    requestTls: { ca: pem },
  });
  try {
    const answer = await fetch(url, {
      dispatcher,
      headers,
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    assert.equal(answer.status, 200);
    return (await answer.json()) as Json;
  } finally {
    await dispatcher.close();
  }
}

async function byCurl({ url, headers, body, relayToken, relay, ca }: Ask): Promise<Json> {
  const { host, port } = relay.address();
  const place = `${relay.servername}:${port}`;
  const { stdout } = await run('curl', [
    ...['--silent', '--show-error', '--fail', '--max-time', '10', '--noproxy', ''],
    // In place of a name server, for the relay alone: the executor's name is never looked up.
    ...['--resolve', `${place}:${host}`],
    ...['--proxy', `https://${place}/`, '--proxy-cacert', ca],
    ...['--proxy-header', `Proxy-Authorization: Bearer ${relayToken}`],
    ...['--cacert', ca],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...(body === undefined ? [] : ['--data-binary', body]),
    url,
  ]);
  return JSON.parse(stdout) as Json;
}

describe('ordinary clients behind the relay', () => {
  let lab: Lab;
  let executor: ExecutorSubject;
  before(async () => {
    lab = await openLab({ caseId: 'ordinary-clients', seed: '1' });
    executor = await referenceExecutor(
      lab,
      'executor',
      {},
      {},
      { binding: 'JSONRPC', topology: 'dual-outbound' },
    );
  });
  after(() => lab.close());

  const delegate = async (client: (ask: Ask) => Promise<Json>) => {
    const relay = executor.relay as RelaySubject;
    const ask = async (path: string, headers: Record<string, string> = {}, body?: Json) =>
      client({
        url: new URL(path, executor.url).href,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        relayToken: await executor.gate.relayToken(relay.id),
        relay,
        ca: executor.ca,
      });
    const rpc = async (method: string, params: Json, req?: string) =>
      ask(
        '/',
        {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${await executor.gate.token(['repo:read'], req)}`,
          'A2A-Version': '1.0',
          'A2A-Extensions': EXT,
        },
        { jsonrpc: '2.0', id: 1, method, params },
      );
    const card = await ask('/.well-known/agent-card.json');
    assert.ok(JSON.stringify(card).includes(EXT));
    const request = wireRequest(executor.peer, 'case: ordinary\nsay hello');
    const created = await rpc('SendMessage', { message: wireMessage(request) }, wireDigest(request));
    const { id } = (created.result as { task: { id: string } }).task;
    const { result } = (await rpc('GetTask', { id })) as { result: { status: { state: string } } };
    assert.equal(result.status.state, 'TASK_STATE_COMPLETED');
  };

  it('undici needs a proxy agent, the authorities and two tokens', () => delegate(byUndici));

  it('curl needs a proxy, the authorities and two tokens', async () => {
    const there = await run('curl', ['--version']).then(
      () => true,
      () => false,
    );
    // Said, and made up for: .ci/run has it.
    if (!there) console.warn('      curl is not installed here: undici has to stand for it');
    await delegate(there ? byCurl : byUndici);
  });
});
