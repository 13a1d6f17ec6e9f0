import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type PeerConnection, PeerUnreachable } from '../../coordinator/connection.js';
import { openTestExecutor } from '../../executor/testing/harness.js';
import { inProcessRunner } from '../../executor/testing/in-process-runner.js';
import { openAuthority } from '../../identity/testing/authority.js';
import { EXT, KEY } from '../../profile/names.js';
import { agentCard } from '../a2a/card.js';
import { connectJsonRpc } from './client.js';

const URL_ = 'https://oab-b.lab/';
const TASK = {
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_WORKING', timestamp: '2026-12-01T00:00:00.000Z' },
  metadata: { [KEY.event]: { turn_id: 'u', sequence: 1, cursor: 'c1' } },
};

describe('the silence of a JSON-RPC stream', () => {
  let folder: string;
  let server: Server;
  let peer: PeerConnection;
  let heartbeatMs: number;
  let answers: boolean;
  let dials: number;
  const observed = async () => {
    for await (const frame of peer.observe('t', { signal: AbortSignal.timeout(15_000) })) return frame;
    return undefined;
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oab-silence-'));
    const authority = await openAuthority(folder);
    const tls = await authority.issue('oab-b', { dns: ['oab-b.lab'] });
    const opened = await openTestExecutor(inProcessRunner(async () => ({ summary: '' })));
    const card = agentCard(opened.service.describe(), [{ url: URL_, protocolBinding: 'JSONRPC' }]);
    heartbeatMs = opened.service.describe().params.heartbeatSeconds * 1000;
    await opened.close();
    server = createServer(
      { cert: readFileSync(tls.cert), key: readFileSync(tls.key) },
      (request, response) => {
        // Each on a connection of its own.
        if (request.method === 'GET') response.setHeader('connection', 'close').end(JSON.stringify(card));
        if (request.method === 'GET' || !answers) return;
        response.writeHead(200, { 'content-type': 'text/event-stream', 'a2a-extensions': EXT });
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task: TASK } })}\n\n`);
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    answers = true;
    dials = 0;
    peer = connectJsonRpc({
      url: URL_,
      insecureLoopback: false,
      credentials: () => 'x',
      timeoutMs: 10_000,
      tls: () => ({ ca: readFileSync(authority.ca, 'utf8') }),
      async through() {
        dials += 1;
        // The second one, on which the stream comes, is slower than any stream may be silent.
        if (dials > 1) await pause(heartbeatMs * 4);
        return connect((server.address() as AddressInfo).port, '127.0.0.1');
      },
    });
  });
  afterEach(async () => {
    await peer.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  it('does not begin before there is a connection: a slow dial is none', async () => {
    const frame = await observed();
    assert.ok(frame !== undefined && 'task' in frame);
    assert.equal(dials, 2);
  });

  it('begins with the request: an answer that never begins is one', async () => {
    answers = false;
    await assert.rejects(
      observed(),
      (error) => error instanceof PeerUnreachable && /2\.5 heartbeats/.test(error.message),
    );
  });
});
