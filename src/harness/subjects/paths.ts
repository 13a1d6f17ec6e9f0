/** Where the built product stands. The lab runs it from dist/ (half the start-up of running from source), also when the harness itself runs from src/. */
import { fileURLToPath } from 'node:url';

const checkout = import.meta.url.includes('/dist/src/harness/') ? '../../../../' : '../../../';
/** Where a file of the checkout lies. */
export const atCheckout = (path: string) => fileURLToPath(new URL(checkout + path, import.meta.url));

export const PEER_CLI = atCheckout('dist/programs/oab-peer.js');
export const DEFECT_ENTRY = atCheckout('dist/programs/planted-peer.js');
export const BOUNDARIES_ENTRY = atCheckout('dist/programs/halted-peer.js');
export const SCRIPTED_AGENT = atCheckout('fixtures/agents/scripted.mjs');
