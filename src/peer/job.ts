/** A harness job (OAB_GATE_JOB) as this coordinator's own configuration and question. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { BINDINGS } from '../profile/names.js';
import { ConfigError } from './config/config-error.js';
import { peerId } from './config/units.js';
import type { Ask } from './coordinator-client.js';

const relayMembers = { relay: peerId, url: z.url(), ca: z.string().optional(), token_key: z.string() };

/** Published as docs/schemas/job.schema.json. */
export const jobSchema = z.strictObject({
  action: z.enum(['delegate', 'wait', 'cancel', 'reconcile']),
  /** This coordinator's peer id. */
  caller: peerId,
  executor: z.strictObject({
    peer: peerId,
    binding: z.enum(BINDINGS).default('JSONRPC'),
    /** Of the A2A bindings. */
    card: z.url().optional(),
    /** Of OAB, which has no card: the executor's own URL. */
    url: z.url().optional(),
    connect: z.string().optional(),
    ca: z.string().optional(),
    /** JWK file of the executor's TLS key, to be pinned. */
    tls_key: z.string().optional(),
    /** The way to it; `connect` is then the relay's. */
    relay: z.strictObject(relayMembers).optional(),
    /** Further relays that lead to it, tried in turn. */
    other_relays: z.array(z.strictObject({ ...relayMembers, connect: z.string().optional() })).optional(),
  }),
  key_file: z.string(),
  trusted_results: z.string(),
  /** Kept between the runs of one case. */
  state_dir: z.string(),
  reconnect: z.strictObject({ floor: z.string(), ceiling: z.string() }).optional(),
  clock_skew: z.string().optional(),
  /** For one unary answer. */
  timeout: z.string().optional(),
  request: z.strictObject({
    request_id: z.string(),
    task: z.string(),
    capabilities: z.array(z.string()),
    deadline_ms: z.number().int(),
    max_output_bytes: z.number().int(),
    max_runtime_ms: z.number().int().optional(),
    task_path: z.string().optional(),
  }),
});

export type Job = z.infer<typeof jobSchema>;

/** Throws ConfigError; writes the configuration into the job's own folder. */
export function prepareJob(file: string): { config: string; question: Ask } {
  let raw: unknown;
  try {
    raw = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new ConfigError([`${file}: no readable JSON; OAB_GATE_JOB names a job file`]);
  }
  const parsed = jobSchema.safeParse(raw);
  if (!parsed.success)
    throw new ConfigError(
      parsed.error.issues.map(({ path, message }) => `${file}: ${path.join('.')}: ${message}`),
    );
  const job = parsed.data;
  mkdirSync(job.state_dir, { recursive: true });
  const { binding, connect, relay, other_relays = [] } = job.executor;
  const named = binding === 'OAB' ? 'url' : 'card';
  const place = job.executor[named];
  if (place === undefined) throw new ConfigError([`${file}: executor.${named}: is missing, on ${binding}`]);
  const { origin, protocol, href } = new URL(place);
  const way =
    relay === undefined
      ? { connect }
      : {
          relays: [{ ...relay, connect }, ...other_relays].map(({ ca, token_key, ...one }) => ({
            ...one,
            ca: ca && resolve(ca),
            token_key: resolve(token_key),
          })),
        };
  const config = join(job.state_dir, 'coordinator.yaml');
  writeFileSync(
    config,
    stringify({
      peer: job.caller,
      insecure_loopback: protocol === 'http:',
      keys: { tokens: resolve(job.key_file) },
      store: resolve(job.state_dir, 'coordinator.db'),
      ...(job.reconnect === undefined ? {} : { reconnect: job.reconnect }),
      ...(job.clock_skew === undefined ? {} : { clock_skew: job.clock_skew }),
      ...(job.timeout === undefined ? {} : { timeout: job.timeout }),
      peers: [
        {
          peer: job.executor.peer,
          url: binding === 'OAB' ? href : `${origin}/`,
          bindings: [binding],
          ...way,
          ...(job.executor.ca === undefined ? {} : { ca: resolve(job.executor.ca) }),
          ...(job.executor.tls_key === undefined ? {} : { tls_key: resolve(job.executor.tls_key) }),
          result_keys: resolve(job.trusted_results),
          capabilities: job.request.capabilities,
        },
      ],
    }),
  );
  return { config, question: questionOf(job) };
}

function questionOf({ action, executor, request }: Job): Ask {
  if (action !== 'delegate') return { command: action, id: request.request_id };
  return {
    command: 'delegate',
    input: {
      requestId: request.request_id,
      peer: executor.peer,
      task: request.task,
      capabilities: request.capabilities,
      deadlineMs: request.deadline_ms,
      maxOutputBytes: request.max_output_bytes,
      ...(request.max_runtime_ms === undefined ? {} : { maxRuntimeMs: request.max_runtime_ms }),
      ...(request.task_path === undefined ? {} : { taskPath: request.task_path }),
    },
  };
}
