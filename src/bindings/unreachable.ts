/** What a client's failures mean: from any of the network, of a transport or of a parser nothing can be concluded. */
import { NotNegotiated, PeerRefusal, PeerUnreachable } from '../coordinator/connection.js';
import { parseStrict, StrictJsonError } from '../profile/strict-json.js';

/** What we know by name passes through. */
export function asUnreachable(error: unknown): Error {
  if (error instanceof PeerRefusal || error instanceof PeerUnreachable || error instanceof NotNegotiated)
    return error;
  const { code, message } = error as { code?: string; message: string };
  return new PeerUnreachable(code === undefined ? message : `${code}: ${message}`);
}

/** A text of the peer's; throws PeerUnreachable. `what` it is, in words. */
export function peerJson(text: string, what: string): unknown {
  try {
    return parseStrict(text);
  } catch (error) {
    if (error instanceof StrictJsonError)
      throw new PeerUnreachable(`${what} that is refused as JSON: ${error.message}`);
    throw error;
  }
}
