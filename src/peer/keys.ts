/** Key files as an operator changes them: made, joined, retired, revoked; each change replaces the file in one step. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { KeyFileError, readKeyFile, type StoredKey, writeKeyFile } from '../identity/key-file.js';
import { newKey } from '../identity/new-key.js';

/** Makes a key and its public half; returns its kid. Throws KeyFileError. */
export function makeKeyFile(file: string, publicFile: string): string {
  const key = newKey(Date.now());
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new KeyFileError(`${dirname(file)}: cannot be made (${(error as NodeJS.ErrnoException).code})`);
  }
  save(file, [key], 'private');
  save(publicFile, [key], 'public');
  return key.kid;
}

/** Adds the keys that `file` does not have yet; returns how many. A public file stays public. */
export function addKeys(file: string, other: string): number {
  const keys = readKeyFile(file);
  const more = readKeyFile(other).filter(({ kid }) => !keys.some((key) => key.kid === kid));
  save(file, [...keys, ...more], half(keys));
  return more.length;
}

/** false when there is no such key, or it is already revoked. */
export function changeState(file: string, kid: string, state: 'retired' | 'revoked', now: number): boolean {
  const keys = readKeyFile(file);
  const key = keys.find((one) => one.kid === kid);
  if (key === undefined || key.state === 'revoked' || key.state === state) return false;
  key.state = state;
  key.notAfter = Math.min(now, key.notAfter ?? now);
  save(file, keys, half(keys));
  return true;
}

function half(keys: readonly StoredKey[]): 'private' | 'public' {
  return keys.some(({ d }) => d !== undefined) ? 'private' : 'public';
}

function save(file: string, keys: readonly StoredKey[], which: 'private' | 'public'): void {
  try {
    writeKeyFile(file, keys, which);
  } catch (error) {
    throw new KeyFileError(
      `${file}: cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
}
