/** Where the built product stands, as seen from the built harness. */
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The lab runs the built product (half the start-up of running from source). */
export const PEER_CLI = at('../../cli/oab-peer.js');
export const DEFECT_ENTRY = at('../defects/main.js');
export const SCRIPTED_AGENT = at('../../../../fixtures/agents/scripted.mjs');
