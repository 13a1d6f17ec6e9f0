/** The one place that takes secrets out of text: logs, evidence and reports all go through here. */

/** Where a word begins; also behind an escape such as the two characters of a line end inside JSON. */
const BEGIN = String.raw`(?:\b|(?<=\\[bfnrt]))`;

const PATTERNS: readonly [RegExp, string][] = [
  // Compact JWS: agent and relay tokens, in any place.
  [new RegExp(String.raw`${BEGIN}eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+`, 'g'), '[token]'],
  [
    new RegExp(String.raw`${BEGIN}(authorization\\?"?\s*[:=]\s*\\?"?)(?:bearer|basic)\s+[^\s"',\\]+`, 'gi'),
    '$1[credential]',
  ],
  // Of a request on the OAB protocol, whatever it looks like.
  [/(\\?"token\\?"\s*:\s*\\?")[^"\\]+/g, '$1[token]'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g, '[private key]'],
  // The private member of a JWK, plain or inside a JSON string.
  [/(\\?"d\\?"\s*:\s*\\?")[A-Za-z0-9_-]{40,}(\\?")/g, '$1[private key]$2'],
];

const registered = new Set<string>();

/** From now on this exact text is taken out too; short ones are ignored, since they would hit everywhere. */
export function registerSecret(secret: string): void {
  if (secret.length >= 8) registered.add(secret);
}

export function redact(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  for (const secret of registered) clean = clean.replaceAll(secret, '[secret]');
  return clean;
}
