/** The answer to a permission request (profile section 5, Permissions): pure, and deny unless everything fits. */
import { allowedKinds } from '../../profile/capabilities.js';

export interface PermissionQuestion {
  /** From the request, or from the tool call that was announced before. */
  kind: unknown;
  options: unknown;
}

export type PermissionAnswer = { allowed: boolean; optionId?: string };

/** Without an `optionId` the answer is the outcome `cancelled`. */
export function answerPermission(
  { kind, options }: PermissionQuestion,
  effective: readonly string[],
): PermissionAnswer {
  const offered = readOptions(options);
  if (offered === undefined) return { allowed: false };
  const pick = (wanted: string) => offered.find((option) => option.kind === wanted)?.optionId;
  if (typeof kind === 'string' && allowedKinds(effective).has(kind)) {
    // Never allow_always: a standing permission would outlive what was decided here.
    const once = pick('allow_once');
    if (once !== undefined) return { allowed: true, optionId: once };
  }
  const reject = pick('reject_once') ?? pick('reject_always');
  return reject === undefined ? { allowed: false } : { allowed: false, optionId: reject };
}

function readOptions(options: unknown): { kind: string; optionId: string }[] | undefined {
  if (!Array.isArray(options)) return undefined;
  const read: { kind: string; optionId: string }[] = [];
  for (const option of options as unknown[]) {
    const { kind, optionId } = (option ?? {}) as { kind?: unknown; optionId?: unknown };
    if (typeof kind !== 'string' || typeof optionId !== 'string') return undefined;
    read.push({ kind, optionId });
  }
  // Two options with one id could be told apart by nobody.
  return new Set(read.map(({ optionId }) => optionId)).size === read.length ? read : undefined;
}
