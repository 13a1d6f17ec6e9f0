/**
 * Starts a reference peer whose every write the harness can stop at, with a planted defect underneath where one is
 * named. In no `bin`, imported by nothing: the product has no switch for it.
 */
import { toItsEnd } from '../../peer/to-its-end.js';
import { defects } from '../defects/registry.js';
import { runPeer } from '../defects/run-peer.js';
import { instrumentJournal } from './journal-writes.js';
import { openStops } from './stops.js';
import { instrumentStore } from './store-writes.js';

const [, , folder = '', id = '', role = '', config = ''] = process.argv;
const defect = defects.find((one) => one.id === id);
if (defect === undefined && id !== 'none') throw new Error(`no defect ${id}`);
const stops = openStops(folder);

toItsEnd(
  runPeer(role, config, {
    executor(given) {
      const parts = defect?.executor?.(given) ?? given;
      const journal = instrumentJournal(parts.executor.journal, stops);
      return { ...parts, executor: { ...parts.executor, journal } };
    },
    coordinator(given, settings) {
      const parts = defect?.coordinator?.(given, settings) ?? given;
      return { ...parts, store: instrumentStore(parts.store, stops) };
    },
  }),
);
