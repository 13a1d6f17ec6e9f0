/** The relay as `oab-peer relay` runs it, with the benchmark's questions. */
import { runRelay } from '../../peer/relay.js';
import { Control } from './control.js';

new Control();
await runRelay(process.argv[2] ?? '');
