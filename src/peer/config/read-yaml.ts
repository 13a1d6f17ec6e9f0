/** One YAML file against one schema, with the line and the key of each problem; nothing is ever ignored in silence. */
import { readFileSync } from 'node:fs';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { ConfigError } from './config-error.js';

const MAX_BYTES = 1024 * 1024;

export interface Loaded<T> {
  value: T;
  /** `file:line: key` of a value, for problems that only show later. */
  place(path: readonly PropertyKey[]): string;
}

/** Throws ConfigError for an unreadable file, bad YAML, unknown or duplicate keys, and wrong values. */
export function readYaml<T extends z.ZodType>(file: string, schema: T): Loaded<z.output<T>> {
  const text = readText(file);
  const lines = new LineCounter();
  // Anchors can grow a small file into a huge one; a configuration has no use for many.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, strict: true });
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) {
    throw new ConfigError(
      broken.map(({ code, pos, message }) => {
        const where = `${file}:${lines.linePos(pos[0]).line}`;
        if (code === 'DUPLICATE_KEY') {
          const key = /^[\w-]+/.exec(text.slice(pos[0]))?.[0] ?? '';
          return `${where}: ${key}: duplicate key; keys are unique, remove one`;
        }
        return `${where}: ${message.split('\n')[0]?.replace(/ at line.*/, '') ?? ''}`;
      }),
    );
  }
  const place = (path: readonly PropertyKey[]) =>
    `${file}:${lineOf(document, lines, path)}: ${path.map(String).join('.') || '(top)'}`;
  const raw = toJs(document, file);
  const parsed = schema.safeParse(raw);
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.flatMap((issue) => problems(issue, raw, place)));
  return { value: parsed.data, place };
}

function readText(file: string): string {
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_BYTES) throw new ConfigError([`${file}: longer than ${MAX_BYTES} bytes`]);
    return bytes.toString('utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError([
      `${file}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}); name an existing file`,
    ]);
  }
}

function toJs(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 16 });
  } catch {
    throw new ConfigError([`${file}: too many aliases`]);
  }
}

function problems(
  issue: z.core.$ZodIssue,
  raw: unknown,
  place: (path: readonly PropertyKey[]) => string,
): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) => `${place([...issue.path, key])}: unknown key; remove it or correct its name`,
    );
  }
  const missing = issue.code === 'invalid_type' && valueAt(raw, issue.path) === undefined;
  return [`${place(issue.path)}: ${missing ? 'is missing' : issue.message}`];
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    raw,
  );
}

/** The line of the deepest node of the path that exists. */
function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const key = path[depth - 1];
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === key);
      if (isScalar(pair?.key) && pair.key.range) return lines.linePos(pair.key.range[0]).line;
    }
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
