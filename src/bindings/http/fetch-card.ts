/** The agent card as a coordinator fetches it: at the configured origin alone, bounded, with the profile or not at all. */
import type { Dispatcher } from 'undici';
import { NotNegotiated, type PeerDescription, PeerUnreachable } from '../../coordinator/connection.js';
import { timeLimit } from '../../coordinator/time-limit.js';
import { negotiate } from '../../profile/card.js';
import type { BindingName } from '../../profile/names.js';
import { asUnreachable, peerJson } from '../unreachable.js';
import type { Pool } from './pool.js';

const MAX_CARD_BYTES = 256 * 1024;

export interface CardPlace {
  pool: Pool;
  /** http or https: the only one that ever gets a token (OPEN-33). */
  origin: string;
  timeoutMs: number;
}

/** Throws NotNegotiated, PeerUnreachable. */
export async function fetchCard(
  place: CardPlace,
  binding: BindingName,
  signal: AbortSignal,
): Promise<PeerDescription> {
  const { response, text } = await exchange(
    place,
    {
      origin: place.origin,
      path: '/.well-known/agent-card.json',
      method: 'GET',
      headers: { accept: 'application/json' },
    },
    signal,
    MAX_CARD_BYTES,
  );
  if (response.statusCode !== 200) throw new PeerUnreachable(`the card answered HTTP ${response.statusCode}`);
  const card = peerJson(text, 'an answer') as Record<string, unknown>;
  const negotiated = negotiate(card, binding);
  if ('refused' in negotiated)
    throw new NotNegotiated(`${negotiated.refused} ${negotiated.detail ?? ''}`.trim());
  if (httpOriginOf(negotiated.url) !== place.origin)
    throw new NotNegotiated('the card names an interface at another origin');
  return { card, params: negotiated.params, url: negotiated.url };
}

/** With ws for http and wss for https; undefined for what is no such URL. */
export function httpOriginOf(url: string): string | undefined {
  try {
    return new URL(url.replace(/^ws(?=s?:)/i, 'http')).origin;
  } catch {
    return undefined;
  }
}

/** One request and its whole answer, in time and bounded; throws PeerUnreachable. */
export async function exchange(
  { pool, timeoutMs }: Pick<CardPlace, 'pool' | 'timeoutMs'>,
  request: Dispatcher.RequestOptions,
  signal: AbortSignal,
  limit: number,
): Promise<{ response: Dispatcher.ResponseData; text: string }> {
  const timed = timeLimit(timeoutMs, signal);
  try {
    const response = await pool.request({ ...request, signal: timed.signal });
    return { response, text: await boundedText(response.body, limit) };
  } catch (error) {
    throw asUnreachable(error);
  } finally {
    timed.end();
  }
}

export async function boundedText(body: Dispatcher.ResponseData['body'], limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) {
      body.destroy();
      throw new PeerUnreachable(`an answer above ${limit} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
