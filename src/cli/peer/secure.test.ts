import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { openAuthority } from '../../identity/testing/authority.js';
import { Pair, peer, type Secured } from './testing/pair.js';

describe('a pair over TLS', function () {
  this.timeout(60_000);
  let pair: Pair;
  beforeEach(() => {
    pair = new Pair();
  });
  afterEach(() => pair.end());

  const tls = { cert: 'oab-b.crt', key: 'oab-b.key' };
  const url = 'https://oab-b.lab/';
  /** `undefined` removes a key of the usual configuration. */
  const secured = (more: Partial<Secured>): Secured => ({
    executor: {
      listen: { address: '127.0.0.1:0', tls },
      public_url: url,
      insecure_loopback: undefined,
      ...more.executor,
    },
    coordinator: { insecure_loopback: undefined, ...more.coordinator },
    remote: { url, ca: 'ca.crt', ...more.remote },
  });

  const delegate = async (more: Partial<Secured>) => {
    const authority = await openAuthority(pair.folder);
    await authority.issue('oab-b', { dns: ['oab-b.lab'] });
    await authority.issue('oab-a', { uris: ['oab:oab-a'] });
    await authority.issue('oab-z', { uris: ['oab:oab-z'] });
    await pair.begin(secured(more));
    const { task } = pair.script('say hello');
    const run = pair.run('delegate', '--to', 'oab-b', '--json', '--deadline', '20s', task);
    const code = await run.exit;
    return { code, text: `${run.lines.join('\n')}\n${run.stderr()}` };
  };
  const byCertificate: Partial<Secured> = {
    executor: {
      listen: { address: '127.0.0.1:0', tls: { ...tls, client_ca: 'ca.crt' } },
      peers: [{ peer: 'oab-a', capabilities: ['repo:read'] }],
    },
    coordinator: { keys: undefined, tls: { cert: 'oab-a.crt', key: 'oab-a.key' } },
  };

  it('delegates with a token, the executor known by its authority', async () => {
    const { code, text } = await delegate({});
    assert.equal(code, 0, text);
    assert.match(text, /"verified":true/);
  });

  it('delegates with a token, the executor known by its pinned key', async () => {
    const { code, text } = await delegate({ remote: { ca: undefined, tls_key: 'oab-b.tls.jwk' } });
    assert.equal(code, 0, text);
  });

  it('delegates with a certificate and no token at all', async () => {
    const { code, text } = await delegate(byCertificate);
    assert.equal(code, 0, text);
    assert.match(text, /"verified":true/);
  });

  it('delegates with a pinned certificate beside a token', async () => {
    const { code, text } = await delegate({
      executor: {
        peers: [
          {
            peer: 'oab-a',
            token_keys: 'tokens.pub.jwks',
            tls_key: 'oab-a.tls.jwk',
            capabilities: ['repo:read'],
          },
        ],
      },
      coordinator: { tls: { cert: 'oab-a.crt', key: 'oab-a.key' } },
    });
    assert.equal(code, 0, text);
  });

  it('refuses a certificate of somebody else, before anything runs', async () => {
    const { code, text } = await delegate({
      ...byCertificate,
      coordinator: { keys: undefined, tls: { cert: 'oab-z.crt', key: 'oab-z.key' } },
    });
    assert.equal(code, 3, text);
    assert.match(text, /UNAUTHENTICATED/);
    assert.deepEqual(pair.ledger('case-1'), []);
  });
});

describe('a pair that both dial a relay', function () {
  this.timeout(60_000);
  let pair: Pair;
  beforeEach(() => {
    pair = new Pair();
  });
  afterEach(() => pair.end());

  for (const transport of ['connect', 'websocket']) {
    it(`delegates, the executor listening nowhere (${transport})`, async () => {
      const authority = await openAuthority(pair.folder);
      await authority.issue('oab-b', { dns: ['oab-b.lab'] });
      await authority.issue('relay-1', { dns: ['relay-1.lab'] });
      for (const name of ['relay-a', 'relay-b']) pair.keys(name);
      const { address } = await pair.relay({
        relay: 'relay-1',
        listen: { address: '127.0.0.1:0', tls: { cert: 'relay-1.crt', key: 'relay-1.key' } },
        executors: [{ peer: 'oab-b', route: 'oab-b.lab:443', key: 'relay-b.pub.jwks' }],
        coordinators: [{ peer: 'oab-a', token_keys: 'relay-a.pub.jwks', routes: ['oab-b.lab:443'] }],
      });
      const relay = { relay: 'relay-1', connect: address, ca: 'ca.crt' };
      const executor = await pair.begin({
        executor: {
          listen: { tls: { cert: 'oab-b.crt', key: 'oab-b.key' } },
          public_url: 'https://oab-b.lab/',
          insecure_loopback: undefined,
          relays: [{ ...relay, url: 'wss://relay-1.lab/', route: 'oab-b.lab:443', key: 'relay-b.jwks' }],
        },
        coordinator: { insecure_loopback: undefined },
        remote: {
          url: 'https://oab-b.lab/',
          connect: undefined,
          ca: 'ca.crt',
          relays: [{ ...relay, url: 'https://relay-1.lab/', token_key: 'relay-a.jwks', transport }],
        },
      });
      assert.deepEqual((JSON.parse(executor.lines[0] ?? '{}') as { listen: unknown }).listen, {});
      const { task } = pair.script('say hello');
      const run = pair.run('delegate', '--to', 'oab-b', '--json', '--deadline', '20s', task);
      assert.equal(await run.exit, 0, `${run.lines.join('\n')}\n${run.stderr()}`);
      assert.match(run.lines.join('\n'), /"verified":true/);
    });
  }

  /** Nobody has a token key: every side shows a certificate to every other, the coordinator one to the relay and one inside. */
  const certified = async (transport: string, binding: string, change: Record<string, unknown> = {}) => {
    const authority = await openAuthority(pair.folder);
    await authority.issue('oab-b', { dns: ['oab-b.lab'], uris: ['oab:oab-b'] });
    await authority.issue('oab-a', { uris: ['oab:oab-a'] });
    await authority.issue('relay-1', { dns: ['relay-1.lab'] });
    const { run, address } = await pair.relay({
      relay: 'relay-1',
      listen: {
        address: '127.0.0.1:0',
        tls: { cert: 'relay-1.crt', key: 'relay-1.key', client_ca: 'ca.crt' },
      },
      executors: [{ peer: 'oab-b', route: 'oab-b.lab:443' }],
      coordinators: [{ peer: 'oab-a', routes: ['oab-b.lab:443'] }],
      keys: { reread: '100ms' },
      ...change,
    });
    const relay = { relay: 'relay-1', connect: address, ca: 'ca.crt' };
    const [b, a] = ['oab-b', 'oab-a'].map((name) => ({ cert: `${name}.crt`, key: `${name}.key` })) as [
      object,
      object,
    ];
    const own = change.executors === undefined ? { tls: b } : { key: 'relay-b.jwks' };
    await pair.begin({
      executor: {
        listen: { tls: { ...b, client_ca: 'ca.crt' } },
        public_url: 'https://oab-b.lab/',
        bindings: [binding],
        insecure_loopback: undefined,
        peers: [{ peer: 'oab-a', capabilities: ['repo:read'] }],
        relays: [{ ...relay, url: 'wss://relay-1.lab/', route: 'oab-b.lab:443', ...own }],
      },
      coordinator: { insecure_loopback: undefined, keys: undefined, tls: a },
      remote: {
        url: 'https://oab-b.lab/',
        connect: undefined,
        ca: 'ca.crt',
        bindings: [binding],
        relays: [{ ...relay, url: 'https://relay-1.lab/', tls: a, transport }],
      },
    });
    return run;
  };

  for (const [transport, binding] of [
    ['connect', 'OAB'],
    ['websocket', 'JSONRPC'],
  ] as const) {
    it(`delegates by certificates alone, at the relay and inside (${transport}, ${binding})`, async () => {
      await certified(transport, binding);
      const { task } = pair.script('say hello');
      const run = pair.run('delegate', '--to', 'oab-b', '--json', '--deadline', '20s', task);
      assert.equal(await run.exit, 0, `${run.lines.join('\n')}\n${run.stderr()}`);
      assert.match(run.lines.join('\n'), /"verified":true/);
    });
  }

  it('ends the tunnel of a revoked key, and refuses it from then on, though certificates would count', async () => {
    pair.keys('relay-b');
    const relay = await certified('connect', 'JSONRPC', {
      executors: [{ peer: 'oab-b', route: 'oab-b.lab:443', key: 'relay-b.pub.jwks' }],
    });
    const file = pair.at('relay-b.pub.jwks');
    const [{ kid }] = (JSON.parse(readFileSync(file, 'utf8')) as { keys: [{ kid: string }] }).keys;
    const until = async (said: string) => {
      while (!relay.stderr().includes(said)) await once(relay.child.stderr as Readable, 'data');
    };
    assert.equal(await peer(['keys', 'revoke', file, kid]).exit, 0);
    await until('a tunnel is gone');
    await until('"refusal":"credentials","times":2');
  });
});
