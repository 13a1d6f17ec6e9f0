#!/usr/bin/env node
/**
 * Builds the Toxiproxy server into the checkout's `.tools/bin` when Go is at hand, once per pinned version.
 * Never fatal: without it the harness uses its embedded stand-in, and names it in the verdict.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const TOXIPROXY_VERSION = 'v2.12.0';
const MODULE = `github.com/Shopify/toxiproxy/v2/cmd/server@${TOXIPROXY_VERSION}`;
/** A module proxy that does not answer must not hold up the set-up for ever. */
const BUILD_DEADLINE_MS = 300_000;

/**
 * @param {string} root the checkout
 * @returns {Promise<string | undefined>} path of the server, undefined when it could not be had
 */
export async function ensureToxiproxy(root) {
  const windows = process.platform === 'win32';
  const bin = join(root, '.tools', 'bin');
  const server = join(bin, windows ? 'toxiproxy-server.exe' : 'toxiproxy-server');
  const stamp = join(bin, '.toxiproxy-server.version');
  const wanted = `${TOXIPROXY_VERSION} ${process.platform}-${process.arch}\n`;
  if (existsSync(server) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return server;

  if (spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0) {
    return without('there is no "go" on the PATH (Go 1.23 or newer builds it)');
  }
  console.error(
    `set-up: building toxiproxy-server ${TOXIPROXY_VERSION} into .tools/bin (about a minute, once)`,
  );
  // A folder of its own per attempt: two set-ups at once must not see each other's half-written binary.
  const attempt = join(root, '.tools', `build-${process.pid}`);
  mkdirSync(attempt, { recursive: true });
  mkdirSync(bin, { recursive: true });
  try {
    const failure = await build(attempt);
    if (failure) return without(failure);
    renameSync(join(attempt, windows ? 'server.exe' : 'server'), server);
    writeFileSync(stamp, wanted);
    return server;
  } finally {
    rmSync(attempt, { recursive: true, force: true });
  }
}

/** Runs `go install`; returns undefined when it worked, else the reason in one line. */
function build(gobin) {
  return new Promise((resolve) => {
    const child = spawn('go', ['install', MODULE], {
      env: { ...process.env, GOBIN: gobin, GOFLAGS: '-mod=mod' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let tail = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      tail = `${tail}${text}`.slice(-2000);
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), BUILD_DEADLINE_MS);
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve(`go did not start: ${error.message}`);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) return resolve(undefined);
      resolve(`go install ended with ${signal ?? code}: ${tail.trim().split('\n').at(-1) ?? 'no message'}`);
    });
  });
}

function without(reason) {
  console.error(
    `set-up: no toxiproxy-server, ${reason}. The embedded stand-in will be used, and the verdict will name it. ` +
      `To use the real one: put "toxiproxy-server" ${TOXIPROXY_VERSION} on the PATH, or set TOXIPROXY_URL`,
  );
  return undefined;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await ensureToxiproxy(fileURLToPath(new URL('../..', import.meta.url)));
}
