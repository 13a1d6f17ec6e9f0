/** Keeps keys and tokens out of a capsule: known by their looks, known by their value, plain or encoded once more. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { redact } from '../../telemetry/redact.js';

/** A run of base64 or base64url that is long enough to hold a secret. */
const ENCODED = /[A-Za-z0-9+/_-]{24,}={0,2}/g;
const PRIVATE_MEMBER = /"(?:d|k|p|q|dp|dq|qi)"\s*:\s*"([A-Za-z0-9_-]{16,})"/g;
const PEM_BODY = /-----BEGIN [A-Z ]*PRIVATE KEY-----([\s\S]*?)-----END/g;
const KEY_FILE = /\.(jwks?|json|key|pem)$/;
const MAX_FILES = 200;

/** Every private key that lies in files below these folders, in each form in which it could be written. */
export function secretsBelow(folders: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const folder of folders) {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && KEY_FILE.test(entry.name))
      .slice(0, MAX_FILES);
    for (const { parentPath, name } of files) {
      const text = readFileSync(join(parentPath, name), 'utf8');
      for (const [, member = ''] of text.matchAll(PRIVATE_MEMBER)) addForms(found, member);
      for (const [, body = ''] of text.matchAll(PEM_BODY)) addForms(found, body.replace(/\s/g, ''));
    }
  }
  return found;
}

function addForms(found: Set<string>, encoded: string): void {
  const raw = Buffer.from(encoded, 'base64');
  const standard = raw.toString('base64').replace(/=+$/, '');
  for (const form of [encoded.replace(/=+$/, ''), standard, raw.toString('base64url'), raw.toString('hex')])
    if (form.length >= 16) found.add(form);
}

/** The text without these secrets and without whatever looks like a credential, in base64 too. */
export function withoutSecrets(text: string, secrets: ReadonlySet<string>): string {
  return plainly(text, secrets).replace(ENCODED, (run) => {
    const decoded = Buffer.from(run, 'base64').toString('utf8');
    return plainly(decoded, secrets) === decoded ? run : '[encoded credential]';
  });
}

function plainly(text: string, secrets: ReadonlySet<string>): string {
  let clean = redact(text);
  for (const secret of secrets) clean = clean.replaceAll(secret, '[secret]');
  return clean;
}
