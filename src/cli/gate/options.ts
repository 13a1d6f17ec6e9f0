/** Parsers of option values; each refuses with the option's name and what would be right. */
import { InvalidArgumentError } from 'commander';
import type { GateName } from '../../gate/criterion.js';
import type { Topology } from '../../harness/check.js';
import { BINDINGS, type BindingName } from '../../profile/names.js';

export const GATES: readonly GateName[] = ['replay', 'relay', 'profile'];
export const TOPOLOGIES: readonly Topology[] = ['direct', 'dual-outbound'];

function listOf<T extends string>(allowed: readonly T[]): (value: string) => T[] {
  return (value) => {
    const chosen = value.split(',').map((item) => item.trim());
    const strange = chosen.find((item) => !(allowed as readonly string[]).includes(item));
    if (strange !== undefined)
      throw new InvalidArgumentError(`"${strange}" is none of ${allowed.join(', ')}.`);
    return allowed.filter((item) => chosen.includes(item));
  };
}

export const gates = listOf(GATES);
export const bindings: (value: string) => BindingName[] = listOf(BINDINGS);
export const topologies = listOf(TOPOLOGIES);

export function globs(value: string): string[] {
  return value.split(',').map((item) => item.trim());
}

export function seed(value: string): number {
  const number = Number(value);
  if (!/^\d{1,15}$/.test(value))
    throw new InvalidArgumentError('A seed is a whole number from 0 to 999999999999999.');
  return number;
}

/** `90s`, `15m`, `1h` in milliseconds. */
export function duration(value: string): number {
  const match = /^(\d{1,6})(s|m|h)$/.exec(value);
  if (match === null)
    throw new InvalidArgumentError('A duration is a whole number with s, m or h, such as 15m.');
  return Number(match[1]) * { s: 1000, m: 60_000, h: 3_600_000 }[match[2] as 's' | 'm' | 'h'];
}

export function many(value: string): number {
  if (!/^[1-9]\d?$/.test(value)) throw new InvalidArgumentError('A whole number from 1 to 99.');
  return Number(value);
}
