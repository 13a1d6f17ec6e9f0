/** An nginx of the benchmark's own: its own file, folder and port, and gone when the benchmark is. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { until } from '../../harness/lab/deadline.js';
import { freePort } from '../../harness/lab/free-port.js';
import { httpFile, type NginxOptions, streamFile } from './nginx-files.js';

const START_MS = 10_000;

export type NginxKind = 'stream' | 'http';

/** What there is of nginx on this machine, or what is missing, by kind. */
export interface NginxFound {
  missing: Partial<Record<NginxKind, string>>;
  streamModule?: string;
}

export function findNginx(): NginxFound {
  const { stderr, error } = spawnSync('nginx', ['-V'], { encoding: 'utf8' });
  if (error !== undefined) {
    const nothing = 'nginx is not installed (Debian: apt-get install nginx libnginx-mod-stream)';
    return { missing: { stream: nothing, http: nothing } };
  }
  const without = (name: string) => `this nginx is built without its ${name} module`;
  const http = stderr.includes('--with-http_ssl_module') ? {} : { http: without('http_ssl') };
  if (/--with-stream(\s|$)/.test(stderr)) return { missing: http };
  if (!stderr.includes('--with-stream=dynamic')) return { missing: { ...http, stream: without('stream') } };
  const folder = /--modules-path=(\S+)/.exec(stderr)?.[1] ?? '/usr/lib/nginx/modules';
  const streamModule = join(folder, 'ngx_stream_module.so');
  if (existsSync(streamModule)) return { missing: http, streamModule };
  const absent = `${streamModule} is not there (Debian: apt-get install libnginx-mod-stream)`;
  return { missing: { ...http, stream: absent } };
}

export interface Nginx {
  pid: number;
  port: number;
  close(): Promise<void>;
}

/** Rejects when nginx ends before it listens, with what it said. */
export async function startNginx(
  kind: NginxKind,
  options: Omit<NginxOptions, 'port' | 'folder'> & { folder: string },
): Promise<Nginx> {
  const folder = join(options.folder, `nginx-${kind}`);
  mkdirSync(folder);
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  const all = { ...options, folder, port };
  writeFileSync(file, kind === 'stream' ? streamFile(all) : httpFile(all));
  // A shell that kills it as soon as this process, and with it the other end of the pipe, is gone, however it went.
  const guard = '"$@" & p=$!; echo $p; { read -r _; kill $p; } <&3 2>/dev/null & wait $p';
  const command = ['nginx', '-e', 'stderr', '-p', folder, '-c', file];
  const child = spawn('/bin/sh', ['-c', guard, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let said = '';
  let out = '';
  child.stderr?.on('data', (chunk) => {
    said = `${said}${String(chunk)}`.slice(-4096);
  });
  child.stdout?.on('data', (chunk) => {
    out += String(chunk);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let over = false;
  void exited.then(() => {
    over = true;
  });
  const close = async () => {
    child.stdio[3]?.destroy();
    await exited;
  };
  const listens = async () => {
    if (over) throw new Error(`nginx ended before it listened: ${said || 'it said nothing'}`);
    return (await answers(port)) ? true : undefined;
  };
  try {
    await until(listens, { ms: START_MS, what: 'nginx to listen', everyMs: 10 });
  } catch (error) {
    await close();
    throw error;
  }
  return { pid: Number(out), port, close };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
