/** The one name of a peer: `target_peer`, token `aud`, `executed_by`, `caller` (profile section 1). */
export function isPeerId(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(value);
}
