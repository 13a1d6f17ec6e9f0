/** Where the built product stands. The lab runs it from dist/ (half the start-up of running from source), also when the harness itself runs from src/. */
import { fileURLToPath } from 'node:url';

const checkout = import.meta.url.includes('/dist/src/harness/') ? '../../../../' : '../../../';
const at = (path: string) => fileURLToPath(new URL(checkout + path, import.meta.url));

export const PEER_CLI = at('dist/src/cli/oab-peer.js');
export const DEFECT_ENTRY = at('dist/src/harness/defects/main.js');
export const SCRIPTED_AGENT = at('fixtures/agents/scripted.mjs');
