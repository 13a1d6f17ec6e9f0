/** `oab-gate verify`: the signature, the verdict beside it, and every evidence file, offline. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { JWK } from 'jose';
import { type Verdict, verdictSchema } from '../gate/verdict.js';
import { openVerdict, peekVerdict } from './sign.js';

export interface Verification {
  /** What does not hold, each with the file; empty when all does. */
  problems: string[];
  /** Whether a key that the reader trusts made the signature. */
  signer: 'trusted' | 'unknown';
  verdict?: Verdict;
  files: number;
}

/** Checks FILE (`verdict.jws`) against a trusted key, or for integrity alone when none is given. */
export async function verifyVerdict(file: string, trust: JWK | undefined): Promise<Verification> {
  const signer = trust === undefined ? 'unknown' : 'trusted';
  let payload: Uint8Array;
  try {
    const jws = readFileSync(file, 'utf8').trim();
    payload = trust === undefined ? peekVerdict(jws).payload : await openVerdict(jws, trust);
  } catch (error) {
    return {
      problems: [
        `${file}: ${trust === undefined ? 'cannot be read as a JWS' : 'the signature does not verify under the trusted key'} (${(error as Error).message})`,
      ],
      signer,
      files: 0,
    };
  }
  const folder = dirname(file);
  const problems: string[] = [];
  const beside = join(folder, 'verdict.json');
  if (!existsSync(beside)) problems.push(`${beside}: missing`);
  else if (!readFileSync(beside).equals(payload)) problems.push(`${beside}: differs from what was signed`);

  const parsed = parse(payload);
  if (parsed === undefined)
    return { problems: [...problems, `${file}: the signed bytes are no verdict`], signer, files: 0 };
  for (const [path, digest] of Object.entries(parsed.evidence)) {
    if (path.split('/').includes('..') || path.startsWith('/')) problems.push(`${path}: outside the folder`);
    else if (!existsSync(join(folder, path))) problems.push(`${path}: missing`);
    else if ((await digestFile(join(folder, path))) !== digest)
      problems.push(`${path}: was changed after the verdict`);
  }
  for (const path of listFiles(join(folder, 'evidence'))) {
    const name = relative(folder, path).split(sep).join('/');
    if (parsed.evidence[name] === undefined) problems.push(`${name}: is not named by the verdict`);
  }
  return { problems, signer, verdict: parsed, files: Object.keys(parsed.evidence).length };
}

/** `sha256:` + hex of a file, read in pieces. */
export async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return `sha256:${hash.digest('hex')}`;
}

/** Every file below a folder, sorted; none when there is no such folder. */
export function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function parse(payload: Uint8Array): Verdict | undefined {
  try {
    return verdictSchema.parse(JSON.parse(Buffer.from(payload).toString('utf8')));
  } catch {
    // Told by the caller as "no verdict": the detail of a forged file helps nobody.
    return undefined;
  }
}
