/** The size of the profile as it was last decided on: `reports/profile-size.json`, with the page that decided it. */
import { existsSync, readFileSync } from 'node:fs';
import { atCheckout } from '../subjects/paths.js';
import type { Size } from './size.js';

export interface Baseline {
  /** The decision page that states these figures in words. */
  decided_in: string;
  size: Size;
}

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(atCheckout('reports/profile-size.json'), 'utf8')) as Baseline;
}

/** How many sentences of the published specification say MUST; undefined where there is no specification. */
export function mustSentences(): number | undefined {
  const file = atCheckout('docs/profile.md');
  if (!existsSync(file)) return undefined;
  return countMusts(readFileSync(file, 'utf8'));
}

/** RFC 2119 words in capitals; a sentence that says it twice counts once. */
export function countMusts(text: string): number {
  return text.split(/(?<=[.:;])\s+|\n{2,}|\|/).filter((part) => /\bMUST\b/.test(part)).length;
}
