/** The version of this program, from its package. */
import { readFileSync } from 'node:fs';

function packageVersion(): string {
  // From src/peer and from dist/src/peer alike.
  for (const up of ['../../package.json', '../../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as Record<
        string,
        string
      >;
      if (name === 'oab-delegation-gate' && version !== undefined) return version;
    } catch {
      // Not at this depth.
    }
  }
  return '0.0.0';
}

export const VERSION = packageVersion();
