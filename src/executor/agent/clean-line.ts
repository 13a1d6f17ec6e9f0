/** A peer's or agent's text as one printable line: no control characters, no lone surrogates (they cannot be hashed), no secrets, bounded. */
import { redact } from '../../telemetry/redact.js';
import { headOf } from '../split-text.js';

const MAX_BYTES = 512;

export function cleanLine(text: string): string {
  const line = text
    .slice(0, 4 * MAX_BYTES)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, ' ')
    .trim();
  return headOf(redact(line), MAX_BYTES);
}
