/**
 * Effective authority = caller grants ∩ policy A ∩ policy B ∩ requested ∩ deployment limits (O-27); empty is denied
 * (O-28). Nothing here ever adds a capability.
 */
import { isCapability } from './capabilities.js';
import type { Rejection } from './errors.js';

export type Authority = { effective: string[] } | { refused: Rejection; capability?: string };

/** Set intersection that keeps the order of the first list. */
export function intersect(first: readonly string[], ...others: (readonly string[])[]): string[] {
  return first.filter((item) => others.every((other) => other.includes(item)));
}

/** The coordinator's side: what may be asked for and put into `cap`; refused before anything is sent. */
export function callerBound(
  requested: readonly string[],
  callerGrants: readonly string[],
  policyA: readonly string[],
): Authority {
  const bound = intersect(callerGrants, policyA);
  const unknown = requested.find((capability) => !isCapability(capability));
  if (unknown !== undefined) return { refused: 'CAPABILITY_UNKNOWN', capability: unknown };
  const wider = requested.find((capability) => !bound.includes(capability));
  if (wider !== undefined) return { refused: 'CAPABILITY_WIDENED', capability: wider };
  return requested.length === 0 ? { refused: 'AUTHORITY_EMPTY' } : { effective: [...requested] };
}

/** The executor's side: `cap` is the bound in the credential, policy B its entry for the caller, then its own limit. */
export function effectiveAuthority(
  requested: readonly string[],
  cap: readonly string[],
  policyB: readonly string[],
  deployment: readonly string[],
): Authority {
  const unknown = requested.find((capability) => !isCapability(capability));
  if (unknown !== undefined) return { refused: 'CAPABILITY_UNKNOWN', capability: unknown };
  const wider = requested.find((capability) => !cap.includes(capability));
  if (wider !== undefined) return { refused: 'CAPABILITY_WIDENED', capability: wider };
  const effective = intersect(requested, policyB, deployment).sort();
  return effective.length === 0 ? { refused: 'AUTHORITY_EMPTY' } : { effective };
}
