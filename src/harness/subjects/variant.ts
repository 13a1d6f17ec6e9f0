/** How a reference peer is started: as its own command, or by an entry of the harness that plants or instruments something. */
import { BOUNDARIES_ENTRY, DEFECT_ENTRY, PEER_CLI } from './paths.js';

export interface Variant {
  /** The id of a planted defect. */
  defect?: string | undefined;
  /** Another one of its relay alone. */
  relayDefect?: string | undefined;
  /** The folder through which its writes are told and stopped at. */
  boundaries?: string | undefined;
}

/** The start of the command line, up to the role's own arguments; `undefined` where its own command will do. */
export function variantArgv({ defect, boundaries }: Variant): [string, ...string[]] | undefined {
  if (boundaries !== undefined) return [process.execPath, BOUNDARIES_ENTRY, boundaries, defect ?? 'none'];
  return defect === undefined ? undefined : [process.execPath, DEFECT_ENTRY, defect];
}

export const OWN_COMMAND: readonly [string, ...string[]] = [process.execPath, PEER_CLI];
