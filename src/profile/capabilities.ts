/** Capabilities v1 and the ACP tool kinds that each of them allows (section 3). */

const KINDS: Readonly<Record<string, readonly string[]>> = {
  'repo:read': ['read', 'search', 'think'],
  'net:fetch': ['fetch'],
  exec: ['execute'],
};

/** `repo:write` is reserved: known by name, refused like an unknown one. */
export const CAPABILITIES: readonly string[] = Object.keys(KINDS);

export function isCapability(name: string): boolean {
  return Object.hasOwn(KINDS, name);
}

/** The tool kinds that an effective set allows; nothing outside it is ever allowed. */
export function allowedKinds(effective: readonly string[]): ReadonlySet<string> {
  return new Set(effective.flatMap((capability) => KINDS[capability] ?? []));
}

/** Kinds that cannot leave an effect outside, whatever their final status (outcome table, row 2). */
export const HARMLESS_KINDS: ReadonlySet<string> = new Set(['read', 'search', 'think']);
