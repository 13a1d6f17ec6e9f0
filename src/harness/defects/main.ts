/** Starts a defective variant of a reference peer. In no `bin`, imported by nothing but the harness's own start commands. */
import { toItsEnd } from '../../peer/to-its-end.js';
import { defects } from './registry.js';
import { runPeer } from './run-peer.js';

const [, , id = '', role = '', config = ''] = process.argv;
const defect = defects.find((one) => one.id === id);
if (defect === undefined) throw new Error(`no defect ${id}`);

toItsEnd(runPeer(role, config, defect));
