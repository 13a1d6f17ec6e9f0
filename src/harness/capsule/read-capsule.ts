/** Reads a capsule file; whatever is wrong with it is said in one sentence. */
import { readFileSync, statSync } from 'node:fs';
import type { z } from 'zod';
import type { Selection } from '../run/sweeps.js';
import { CAPSULE_SCHEMA, type Capsule, capsuleSchema } from './capsule.js';

const MAX_FILE = 16 * 1024 * 1024;

/** The file is no capsule of this version. */
export class BadCapsule extends Error {
  override name = 'BadCapsule';
}

/** Throws BadCapsule with file, place and what is wrong there. */
export function readCapsule(path: string): Capsule {
  const bad = (what: string) => new BadCapsule(`${path}: no failure capsule: ${what}`);
  let json: unknown;
  try {
    if (statSync(path).size > MAX_FILE) throw bad(`longer than ${MAX_FILE} bytes`);
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw error instanceof BadCapsule ? error : bad((error as Error).message);
  }
  const { schema } = (typeof json === 'object' && json !== null ? json : {}) as { schema?: unknown };
  if (typeof schema === 'string' && schema !== CAPSULE_SCHEMA)
    throw bad(`its schema is ${schema.slice(0, 200)}, and this program reads ${CAPSULE_SCHEMA}`);
  const parsed = capsuleSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = (parsed.error as z.ZodError).issues;
  throw bad(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
}

/** The points of each sweep that a capsule names. */
export function selectionOf({ schedule }: Capsule): Selection {
  return Object.fromEntries(
    schedule.sweeps.map(({ name, points }) => [name, points.map(({ index }) => index)]),
  );
}
