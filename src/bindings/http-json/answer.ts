/** An HTTP+JSON answer to its result, or to what the peer's error means. */
import { PeerRefusal, PeerUnreachable } from '../../coordinator/connection.js';
import { refusalOf } from '../a2a/refusal.js';
import { peerJson } from '../unreachable.js';

const DOMAIN = 'a2a-protocol.org';
/** What the profile calls errors that A2A names otherwise. */
const OURS: Readonly<Record<string, string>> = { EXTENSION_SUPPORT_REQUIRED: 'NOT_NEGOTIATED' };

/**
 * Throws PeerRefusal for an error of the peer, PeerUnreachable for anything that is no answer of its. Every hop speaks
 * HTTP statuses: only an error with A2A's ErrorInfo is the peer's own word.
 */
export function readAnswer(status: number, text: string): unknown {
  if (status === 401) throw new PeerRefusal('UNAUTHENTICATED', status, false);
  if (status >= 300 && status < 400) throw new PeerUnreachable(`HTTP ${status}`);
  const value = peerJson(text, `HTTP ${status} with a body`);
  const answer = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  if (typeof answer.error === 'object' && answer.error !== null) {
    const { details } = answer.error as Record<string, unknown>;
    const [info] = Array.isArray(details) ? (details as { domain?: unknown; reason?: unknown }[]) : [];
    if (info?.domain !== DOMAIN) throw new PeerUnreachable(`HTTP ${status} without A2A’s ErrorInfo`);
    throw refusalOf(details, status, OURS[String(info.reason)]);
  }
  if (status !== 200) throw new PeerUnreachable(`HTTP ${status}`);
  return value;
}
