/** What a workspace holds, as one digest: the evidence that a read-only turn changed nothing (section 5, rows 2 and 3). */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';

const MAX_FILES = 20_000;
const MAX_BYTES = 512 * 1024 * 1024;

/**
 * SHA-256 over path, kind, mode and content of everything below `root` but the `writable` folders. undefined when there is more than can be looked at: then nothing is proven.
 */
export async function workspaceDigest(
  root: string,
  writable: readonly string[],
): Promise<string | undefined> {
  const hash = createHash('sha256');
  let files = 0;
  let bytes = 0;
  const visit = async (folder: string): Promise<boolean> => {
    const entries = await readdir(folder, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (writable.includes(path)) continue;
      const stat = await lstat(path);
      files += 1;
      bytes += entry.isFile() ? stat.size : 0;
      if (files > MAX_FILES || bytes > MAX_BYTES) return false;
      hash.update(
        `${JSON.stringify(relative(root, path))} ${stat.mode} ${entry.isFile() ? stat.size : ''}\n`,
      );
      if (entry.isSymbolicLink()) hash.update(await readlink(path));
      else if (entry.isFile()) hash.update(await fileDigest(path));
      else if (entry.isDirectory() && !(await visit(path))) return false;
    }
    return true;
  };
  try {
    return (await visit(root)) ? hash.digest('hex') : undefined;
  } catch {
    // A file that cannot be read, or that vanished meanwhile, proves nothing.
    return undefined;
  }
}

async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
