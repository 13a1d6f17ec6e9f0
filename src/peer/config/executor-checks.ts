/** What is wrong with an executor.yaml whose keys and values are each well formed. */
import { existsSync, statSync } from 'node:fs';
import { readKeyFile } from '../../identity/key-file.js';
import { openPinnedKeys } from '../../identity/pinned-keys.js';
import { openTlsFiles } from '../../identity/tls-files.js';
import { inconsistency } from '../../profile/card.js';
import type { CardParams } from '../../profile/model.js';
import type { ExecutorFile, ExecutorSettings } from './executor-file.js';
import type { Loaded } from './read-yaml.js';
import { relayFiles } from './relay-entry.js';
import { authorityOf, isLoopback } from './units.js';

/** What contradicts itself, by place. */
export function consistency(
  { value, place }: Loaded<ExecutorFile>,
  { listen, relays, tls, callers, config }: ExecutorSettings,
): string[] {
  const found: string[] = [];
  const { limits } = config;
  const params = {
    idempotency: { windowSeconds: config.windowMs / 1000 },
    limits: {
      maxDeadlineMs: limits.deadlineMs,
      maxFrameBytes: limits.frameBytes,
      maxOutputBytes: limits.outputBytes,
      maxEventBytes: limits.eventBytes,
    },
  } as CardParams;
  const problem = inconsistency(params, limits.clockSkewMs);
  if (problem !== undefined)
    found.push(
      `${place([problem.startsWith('idem') ? 'idempotency' : 'limits'])}: ${problem}; change one of them`,
    );
  const secure = value.public_url.startsWith('https:');
  if (tls === undefined) {
    if (!value.insecure_loopback)
      found.push(
        `${place(['insecure_loopback'])}: without listen.tls it listens on loopback only; configure TLS, or set insecure_loopback: true to say so`,
      );
    else if (listen.address !== undefined && !isLoopback(listen.address.host))
      found.push(
        `${place(['listen', 'address'])}: plain HTTP is allowed on loopback only; configure listen.tls`,
      );
    if (secure) found.push(`${place(['public_url'])}: https needs listen.tls`);
  } else {
    if (!secure) found.push(`${place(['public_url'])}: listen.tls needs an https URL`);
    if (value.insecure_loopback)
      found.push(`${place(['insecure_loopback'])}: contradicts listen.tls; remove one of them`);
  }
  if (listen.address === undefined && relays.length === 0)
    found.push(`${place(['listen', 'address'])}: is missing, and there is no relay to be reached through`);
  if (value.reconnect.floor > value.reconnect.ceiling)
    found.push(`${place(['reconnect', 'floor'])}: is above the ceiling`);
  for (const [index, { route: own }] of value.relays.entries()) {
    if (tls === undefined)
      found.push(`${place(['relays', index])}: a relay needs listen.tls (TLS runs through it)`);
    if (own !== authorityOf(value.public_url))
      found.push(
        `${place(['relays', index, 'route'])}: must be the authority of public_url, ${authorityOf(value.public_url)}`,
      );
  }
  for (const [index, { tokenKeys, tlsKey }] of callers.entries()) {
    if (tlsKey !== undefined && tls === undefined)
      found.push(`${place(['peers', index, 'tls_key'])}: a certificate needs listen.tls`);
    if (tokenKeys === undefined && tlsKey === undefined && tls?.ca === undefined)
      found.push(
        `${place(['peers', index])}: nothing to know this peer by; give token_keys, tls_key, or listen.tls.client_ca`,
      );
  }
  const names = value.peers.map(({ peer }) => peer);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1) found.push(`${place(['peers', twice, 'peer'])}: is configured twice`);
  return found;
}

/** What cannot be used of the files that are named. */
export function files({ place }: Loaded<unknown>, settings: ExecutorSettings): string[] {
  const found: string[] = [];
  const key = (keyPath: PropertyKey[], file: string, signing: boolean) => {
    try {
      const keys = readKeyFile(file);
      const usable = keys.some(
        ({ state, privateKey }) => state === 'active' && (!signing || privateKey !== undefined),
      );
      if (!usable)
        found.push(
          `${place(keyPath)}: ${file}: no active ${signing ? 'private ' : ''}key; "oab-peer keys new" makes one`,
        );
    } catch (error) {
      found.push(`${place(keyPath)}: ${(error as Error).message}`);
    }
  };
  key(['keys', 'results'], settings.resultKeys, true);
  const look = (keyPath: PropertyKey[], open: () => unknown) => {
    try {
      open();
    } catch (error) {
      found.push(`${place(keyPath)}: ${(error as Error).message}`);
    }
  };
  for (const [index, { tokenKeys, tlsKey }] of settings.callers.entries()) {
    if (tokenKeys !== undefined) key(['peers', index, 'token_keys'], tokenKeys, false);
    if (tlsKey !== undefined) look(['peers', index, 'tls_key'], () => openPinnedKeys(tlsKey));
  }
  const { tls } = settings;
  if (tls !== undefined) look(['listen', 'tls'], () => openTlsFiles(tls));
  for (const [index, relay] of settings.relays.entries())
    for (const [name, open] of relayFiles(relay)) look(['relays', index, name], open);
  const { workspace } = settings.agent;
  if (!existsSync(workspace) || !statSync(workspace).isDirectory()) {
    found.push(`${place(['agent', 'workspace'])}: ${workspace}: no such folder`);
  }
  return found;
}
