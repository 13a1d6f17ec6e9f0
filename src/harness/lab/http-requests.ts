/** The requests that passed one connection of a link, as bytes: what a client sent, whoever read it. */
import type { TapConnection } from './ports.js';

export interface SentRequest {
  /** `POST / HTTP/1.1` */
  line: string;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** As it was sent; cut where the connection was. */
  body: string;
}

/** Whole request heads only; of an encrypted connection whose secrets nobody logged there are none. */
export function sentRequests(connection: Pick<TapConnection, 'plain'>): SentRequest[] {
  const bytes = connection.plain('upstream');
  const found: SentRequest[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end === -1) break;
    const [line = '', ...fields] = bytes.toString('latin1', at, end).split('\r\n');
    const headers = Object.fromEntries(
      fields.map((field) => {
        const colon = field.indexOf(':');
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    const next = end + 4 + Number(headers['content-length'] ?? 0);
    found.push({ line, headers, body: bytes.toString('utf8', end + 4, next) });
    at = next;
  }
  return found;
}
