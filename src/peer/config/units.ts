/** Values with units, as configuration writes them; a bare number is refused, since nobody could tell its unit. */
import { z } from 'zod';
import { isPeerId } from '../../profile/peer-id.js';

const TIME = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SIZE = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

function scaled<U extends Record<string, number>>(units: U, example: string) {
  const pattern = new RegExp(`^(\\d{1,9})(${Object.keys(units).join('|')})$`);
  const wrong = `must be a whole number with a unit (${Object.keys(units).join(', ')}), such as ${example}`;
  return z
    .string({ error: wrong })
    .regex(pattern, wrong)
    .transform((text) => {
      const [, number = '', unit = ''] = pattern.exec(text) ?? [];
      return Number(number) * (units[unit] as number);
    });
}

/** Ten years, and a pebibyte: beyond them a value is a slip of the keyboard, and not exact any more. */
const LONGEST = 3650 * TIME.d;
const LARGEST = 1024 ** 5;

/** Milliseconds. */
export const duration = scaled(TIME, '15s').refine((ms) => ms <= LONGEST, 'is longer than ten years');
/** For what would spin or never answer at zero. */
export const someTime = duration.refine((ms) => ms >= 1, 'must be longer than nothing');
/** For what is waited for by a timer: at most a day. */
export const shortTime = someTime.refine((ms) => ms <= TIME.d, 'must be at most 24h');
/** Bytes. */
export const size = scaled(SIZE, '64KiB').refine((bytes) => bytes <= LARGEST, 'is above 1024TiB');
/** Per second. */
export const rate = z
  .string({ error: 'must be a rate such as 50/s' })
  .regex(/^[1-9]\d{0,6}\/s$/, 'must be a rate such as 50/s')
  .transform((text) => Number.parseInt(text, 10));

export const peerId = z
  .string()
  .refine(isPeerId, 'must be a peer id: lower-case letters, digits and inner hyphens, at most 63');
export const count = z.number({ error: 'must be a whole number' }).int().min(1).max(1_000_000);
export const path = z.string({ error: 'must be a path' }).min(1).max(4096);
export const address = z
  .string()
  .regex(/^(\[[0-9a-fA-F:.]+\]|[0-9a-zA-Z.-]+):\d{1,5}$/, 'must be host:port, such as 127.0.0.1:0')
  .transform((text) => {
    const colon = text.lastIndexOf(':');
    return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
  })
  .refine(({ port }) => port <= 65_535, 'the port is above 65535');
/** `host:port` to dial; a port of 0 would be nobody's. */
export const dialled = address.refine(({ port }) => port > 0, 'the port must be from 1');
export const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).refine((url) => {
  const { username, password, search, hash } = new URL(url);
  return `${username}${password}${search}${hash}` === '';
}, 'must have no user, password, query or fragment');

/** `host:port` that a relay routes by: the authority of an executor's public URL. */
export const route = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?:\d{1,5}$/,
    'must be host:port in lower case, such as oab-b.example:443',
  );

/** `host:port` of a URL, with the scheme's own port where it names none. */
export function authorityOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'http:' ? 80 : 443) : port}`;
}

/** A key of a later version: refused by name, since ignoring it would run something else than was asked. */
export const notAvailable = (what: string) =>
  z.undefined({ error: `${what} is not available in this version; remove it` }).optional();

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
