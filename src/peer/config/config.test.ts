import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { writeKeyFile } from '../../identity/key-file.js';
import { newKey } from '../../identity/new-key.js';
import { openAuthority } from '../../identity/testing/authority.js';
import { jobSchema } from '../job.js';
import { ConfigError } from './config-error.js';
import { coordinatorSchema, readCoordinatorFile } from './coordinator-file.js';
import { executorSchema, readExecutorFile } from './executor-file.js';
import { readRelayFile, relaySchema } from './relay-file.js';

const EXECUTOR = `peer: oab-b
listen: { address: "127.0.0.1:0" }
public_url: http://oab-b.lab/
insecure_loopback: true
keys: { results: results.jwks }
peers:
  - { peer: oab-a, token_keys: tokens.jwks, capabilities: ["repo:read"] }
capabilities: ["repo:read"]
journal: { sqlite: journal.db }
agent:
  command: [node, agent.mjs]
  workspace: workspace
`;
const COORDINATOR = `peer: oab-a
insecure_loopback: true
keys: { tokens: tokens.jwks }
store: coordinator.db
peers:
  - peer: oab-b
    url: http://127.0.0.1:18443/
    result_keys: results.jwks
    capabilities: ["repo:read"]
`;

describe('configuration', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oab-config-'));
    file = join(folder, 'peer.yaml');
    mkdirSync(join(folder, 'workspace'));
    for (const name of ['results', 'tokens'])
      writeKeyFile(join(folder, `${name}.jwks`), [newKey(Date.now())], 'private');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const problems = (read: (file: string) => unknown, text: string): string[] => {
    writeFileSync(file, text);
    try {
      read(file);
      return [];
    } catch (error) {
      assert.ok(error instanceof ConfigError, String(error));
      return error.problems.map((problem) => problem.replaceAll(`${folder}/`, ''));
    }
  };
  const executor = (text: string) => problems(readExecutorFile, text);
  const coordinator = (text: string) => problems(readCoordinatorFile, text);

  it('is read with its units, defaults and paths', () => {
    writeFileSync(
      file,
      EXECUTOR.replace(
        'capabilities: ["repo:read"]\njournal',
        'capabilities: ["repo:read"]\nlimits: { task: 32KiB, deadline: 10m, rate: 7/s }\njournal',
      ),
    );
    const { config, journal, agent } = readExecutorFile(file);
    assert.deepEqual(
      [config.limits.taskBytes, config.limits.deadlineMs, config.limits.rate],
      [32_768, 600_000, 7],
    );
    assert.deepEqual(
      [config.heartbeatMs, config.windowMs, config.peers[0]?.maxRunning],
      [15_000, 7_200_000, 4],
    );
    assert.deepEqual(
      [journal.file, agent.workspace],
      [join(folder, 'journal.db'), join(folder, 'workspace')],
    );
    assert.deepEqual(executor(EXECUTOR), []);
    assert.deepEqual(coordinator(COORDINATOR), []);
  });

  for (const [what, change, expected] of [
    ['an unknown key', (text: string) => `${text}speed: 3\n`, /^peer\.yaml:13: speed: unknown key/],
    [
      'an unknown key inside',
      (text: string) => text.replace('workspace: workspace', 'workspace: workspace\n  colour: red'),
      /^peer\.yaml:13: agent\.colour: unknown key/,
    ],
    ['a duplicate key', (text: string) => `${text}peer: oab-c\n`, /^peer\.yaml:13: peer: duplicate key/],
    ['a missing key', (text: string) => text.replace('peer: oab-b\n', ''), /^peer\.yaml:1: peer: is missing/],
    [
      'a bare number',
      (text: string) => `${text}stream: { heartbeat: 15 }\n`,
      /^peer\.yaml:13: stream\.heartbeat: must be a whole number with a unit/,
    ],
    [
      'a bad unit',
      (text: string) => `${text}idempotency: { window: 2hours }\n`,
      /^peer\.yaml:13: idempotency\.window: must be a whole number with a unit .* such as 15s/,
    ],
    [
      'a heartbeat out of bounds',
      (text: string) => `${text}stream: { heartbeat: 16s }\n`,
      /stream\.heartbeat: must be from 100ms to 15s/,
    ],
    [
      'a bad peer id',
      (text: string) => text.replace('peer: oab-b', 'peer: OAB_B'),
      /^peer\.yaml:1: peer: must be a peer id/,
    ],
    [
      'an unknown capability',
      (text: string) => text.replace('\ncapabilities: ["repo:read"]', '\ncapabilities: ["repo:write"]'),
      /^peer\.yaml:8: capabilities\.0: must be one of/,
    ],
    [
      'a missing secret',
      (text: string) => text.replace('results.jwks', 'absent.jwks'),
      /^peer\.yaml:5: keys\.results: .*absent\.jwks: cannot be read \(ENOENT\)/,
    ],
    [
      'a public key where a private one is needed',
      (text: string) => text.replace('results.jwks', 'half.jwks'),
      /^peer\.yaml:5: keys\.results: .*no active private key/,
    ],
    [
      'a workspace that is not there',
      (text: string) => text.replace('workspace: workspace', 'workspace: elsewhere'),
      /^peer\.yaml:12: agent\.workspace: .*no such folder/,
    ],
    [
      'a feature of a later version',
      (text: string) => `${text}metrics: {}\n`,
      /^peer\.yaml:13: metrics: metrics is not available in this version/,
    ],
    [
      'a relay without TLS of its own',
      (text: string) =>
        `${text}relays: [{ relay: relay-1, url: "wss://relay-1.lab/", route: "oab-b.lab:80", key: tokens.jwks }]\n`,
      /^peer\.yaml:13: relays\.0: a relay needs listen\.tls/,
    ],
    [
      'a route that is not its own',
      (text: string) =>
        `${text}relays: [{ relay: relay-1, url: "wss://relay-1.lab/", route: "oab-c.lab:443", key: tokens.jwks }]\n`,
      /^peer\.yaml:13: relays\.0\.route: must be the authority of public_url, oab-b\.lab:80/,
    ],
    [
      'nothing to prove itself to a relay by',
      (text: string) =>
        `${text}relays: [{ relay: relay-1, url: "wss://relay-1.lab/", route: "oab-b.lab:80" }]\n`,
      /^peer\.yaml:13: relays\.0\.key: nothing to prove itself by/,
    ],
    [
      'nowhere to listen and no relay',
      (text: string) => text.replace('listen: { address: "127.0.0.1:0" }', 'listen: {}'),
      /^peer\.yaml:2: listen\.address: is missing, and there is no relay/,
    ],
    [
      'plain HTTP beyond loopback',
      (text: string) => text.replace('127.0.0.1:0', '0.0.0.0:0'),
      /^peer\.yaml:2: listen\.address: plain HTTP is allowed on loopback only/,
    ],
    [
      'plain HTTP unsaid',
      (text: string) => text.replace('insecure_loopback: true\n', ''),
      /insecure_loopback: without listen\.tls/,
    ],
    [
      'a peer twice',
      (text: string) =>
        text.replace(
          'capabilities: ["repo:read"] }\n',
          'capabilities: ["repo:read"] }\n  - { peer: oab-a, token_keys: tokens.jwks, capabilities: [] }\n',
        ),
      /^peer\.yaml:8: peers\.1\.peer: is configured twice/,
    ],
    [
      'a window shorter than the deadline',
      (text: string) => `${text}idempotency: { window: 1h }\n`,
      /^peer\.yaml:13: idempotency: idempotency\.windowSeconds is shorter/,
    ],
    [
      'a public URL of https without TLS',
      (text: string) => text.replace('http://oab-b.lab', 'https://oab-b.lab'),
      /^peer\.yaml:3: public_url: https needs listen\.tls/,
    ],
    [
      'TLS files that are not there',
      (text: string) =>
        text
          .replace('http://oab-b', 'https://oab-b')
          .replace('insecure_loopback: true\n', '')
          .replace('127.0.0.1:0"', '127.0.0.1:0", tls: { cert: b.crt, key: b.key }'),
      /^peer\.yaml:2: listen\.tls: .*b\.crt: cannot be read \(ENOENT\)/,
    ],
    [
      'TLS under a plain public URL',
      (text: string) => text.replace('127.0.0.1:0"', '127.0.0.1:0", tls: { cert: b.crt, key: b.key }'),
      /^peer\.yaml:3: public_url: listen\.tls needs an https URL/,
    ],
    [
      'a peer that nothing tells apart',
      (text: string) => text.replace('token_keys: tokens.jwks, ', ''),
      /^peer\.yaml:7: peers\.0: nothing to know this peer by/,
    ],
    [
      'a certificate where there is no TLS',
      (text: string) => text.replace('token_keys: tokens.jwks, ', 'tls_key: tokens.jwks, '),
      /^peer\.yaml:7: peers\.0\.tls_key: a certificate needs listen\.tls/,
    ],
    [
      'a password in the public URL',
      (text: string) => text.replace('http://oab-b.lab', 'http://me:secret@oab-b.lab'),
      /^peer\.yaml:3: public_url: must have no user/,
    ],
    [
      'a wait that no timer can hold',
      (text: string) => text.replace('results.jwks }', 'results.jwks, reread: 99d }'),
      /^peer\.yaml:5: keys\.reread: must be at most 24h/,
    ],
    [
      'a number too large to be exact',
      (text: string) => `${text}idempotency: { window: 999999999d }\n`,
      /^peer\.yaml:13: idempotency\.window: is longer than ten years/,
    ],
    [
      'a back-off whose floor is above its ceiling',
      (text: string) => `${text}reconnect: { floor: 9s }\n`,
      /^peer\.yaml:13: reconnect\.floor: is above the ceiling/,
    ],
    [
      'an empty value of a later feature',
      (text: string) => `${text}metrics:\n`,
      /^peer\.yaml:13: metrics: metrics is not available in this version/,
    ],
    ['a second document', (text: string) => `${text}---\npeer: x\n`, /^peer\.yaml:\d+: /],
    ['an empty file', () => '', /^peer\.yaml:1: \(top\): /],
    ['a key that is no text', (text: string) => `${text}? [a]\n: b\n`, /^peer\.yaml:\d+: /],
    ['a tab for indentation', (text: string) => `${text}\tx: 1\n`, /^peer\.yaml:\d+: /],
    ['no mapping at all', () => '- a\n', /^peer\.yaml:1: /],
  ] as const) {
    it(`is refused for ${what}, with file, line and key`, () => {
      const key = newKey(Date.now());
      writeKeyFile(join(folder, 'half.jwks'), [key], 'public');
      const found = executor(change(EXECUTOR));
      assert.ok(
        found.some((problem) => expected.test(problem)),
        found.join('\n'),
      );
    });
  }

  it('is refused when others can read a private key, or the file is not there', () => {
    chmodSync(join(folder, 'tokens.jwks'), 0o640);
    assert.match(coordinator(COORDINATOR).join(), /^peer\.yaml:3: keys\.tokens: .*chmod 600/);
    assert.throws(
      () => readCoordinatorFile(join(folder, 'absent.yaml')),
      /absent\.yaml: cannot be read \(ENOENT\)/,
    );
  });

  it('keeps a coordinator from plain HTTP beyond loopback', () => {
    assert.match(
      coordinator(COORDINATOR.replace('127.0.0.1', '10.0.0.1')).join(),
      /peers\.0\.url: plain HTTP is for loopback/,
    );
    assert.match(
      coordinator(COORDINATOR.replace('    result_keys', '    connect: 10.0.0.1:80\n    result_keys')).join(),
      /peers\.0\.url: plain HTTP is for loopback/,
    );
  });

  for (const [what, change, expected] of [
    [
      'a certificate authority that is not there',
      (text: string) => `${text.replace('http:', 'https:')}    ca: ca.crt\n`,
      /^peer\.yaml:10: peers\.0\.ca: .*ca\.crt: cannot be read \(ENOENT\)/,
    ],
    [
      'a pinned server key where there is no TLS',
      (text: string) => `${text}    tls_key: tokens.jwks\n`,
      /^peer\.yaml:10: peers\.0\.tls_key: needs an https url/,
    ],
    [
      'nothing to prove itself by',
      (text: string) => text.replace('keys: { tokens: tokens.jwks }\n', ''),
      /keys: nothing to prove itself by; give keys\.tokens, or tls/,
    ],
    [
      'a relay with plain HTTP inside',
      (text: string) =>
        `${text}    relays: [{ relay: relay-1, url: "https://relay-1.lab/", token_key: tokens.jwks }]\n`,
      /peers\.0\.url: must be https, since TLS runs through the relay/,
    ],
    [
      'a relay whose key is not there',
      (text: string) =>
        `${text}    relays: [{ relay: relay-1, url: "https://relay-1.lab/", token_key: absent.jwks }]\n`,
      /^peer\.yaml:10: peers\.0\.relays\.0\.token_key: .*absent\.jwks: cannot be read \(ENOENT\)/,
    ],
    [
      'a binding that is none of ours',
      (text: string) => `${text}    bindings: [GRPC]\n`,
      /^peer\.yaml:10: peers\.0\.bindings\.0: must be one of JSONRPC/,
    ],
    [
      'a port that does not exist',
      (text: string) => `${text}    connect: 127.0.0.1:70000\n`,
      /^peer\.yaml:10: peers\.0\.connect: the port is above 65535/,
    ],
    [
      'a back-off that would spin',
      (text: string) => `${text}reconnect: { floor: 0ms }\n`,
      /^peer\.yaml:10: reconnect\.floor: must be longer than nothing/,
    ],
    [
      'a floor above the ceiling',
      (text: string) => `${text}reconnect: { floor: 9s }\n`,
      /^peer\.yaml:10: reconnect\.floor: is above the ceiling/,
    ],
    [
      'result keys that are not there',
      (text: string) => text.replace('results.jwks', 'absent.jwks'),
      /^peer\.yaml:8: peers\.0\.result_keys: .*absent\.jwks: cannot be read/,
    ],
    [
      'a key file that is none',
      (text: string) => text.replace('tokens.jwks', 'peer.yaml'),
      /^peer\.yaml:3: keys\.tokens: .*no JSON/,
    ],
  ] as const) {
    it(`of a coordinator is refused for ${what}`, () => {
      const found = coordinator(change(COORDINATOR));
      assert.ok(
        found.some((problem) => expected.test(problem)),
        found.join('\n'),
      );
    });
  }

  it('of a relay is refused with file, line and key', async () => {
    const authority = await openAuthority(folder);
    await authority.issue('relay-1', { dns: ['relay-1.lab'] });
    const RELAY = `relay: relay-1
listen: { address: "127.0.0.1:0", tls: { cert: relay-1.crt, key: relay-1.key } }
executors:
  - { peer: oab-b, route: "oab-b.lab:443", key: tokens.jwks }
coordinators:
  - { peer: oab-a, token_keys: tokens.jwks, routes: ["oab-b.lab:443"] }
`;
    const relay = (text: string) => problems(readRelayFile, text).join('\n');
    assert.equal(relay(RELAY), '');
    for (const [from, to, expected] of [
      [
        'route: "oab-b.lab:443", key',
        'route: "OAB-B.lab:443", key',
        /^peer\.yaml:4: executors\.0\.route: must be host:port/,
      ],
      [
        'routes: ["oab-b.lab:443"]',
        'routes: ["oab-c.lab:443"]',
        /^peer\.yaml:6: .*oab-c\.lab:443 is no executor's route/,
      ],
      [', key: tokens.jwks }', ' }', /^peer\.yaml:4: executors\.0: nothing to know this peer by/],
      ['relay-1.crt', 'absent.crt', /^peer\.yaml:2: listen\.tls: .*absent\.crt: cannot be read/],
      ['relay-1.key', 'tokens.jwks', /^peer\.yaml:2: listen\.tls: .*no private key in PEM/],
      [', tls: { cert: relay-1.crt, key: relay-1.key }', '', /^peer\.yaml:2: listen\.tls: is missing/],
      ['coordinators:', 'streams: 1\ncoordinators:', /^peer\.yaml:5: streams: unknown key/],
    ] as const)
      assert.match(relay(RELAY.replace(from, to)), expected);
  });

  for (const [name, schema] of [
    ['executor', executorSchema],
    ['coordinator', coordinatorSchema],
    ['job', jobSchema],
    ['relay', relaySchema],
  ] as const) {
    it(`publishes ${name}.schema.json as it is (OAB_WRITE_SCHEMAS=1 rewrites it)`, () => {
      const path = `docs/schemas/${name}.schema.json`;
      const text = `${JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), null, 2)}\n`;
      if (process.env.OAB_WRITE_SCHEMAS === '1') writeFileSync(path, text);
      assert.equal(readFileSync(path, 'utf8'), text);
    });
  }
});
