import type { Defect } from '../defect.js';

/** RPL-04: the replay of an ended task is put where A2A says that there is an error (D-9, O-57). */
export const streamsAfterTheEnd: Defect = {
  id: 'streams-after-the-end',
  breaks: 'a subscribe on an ended task opens a stream with the Task and nothing more',
  fails: ['RPL-03', 'RPL-04', 'RPL-05', 'RPL-09', 'RPL-14', 'RPL-19', 'RPL-20', 'PRF-22'],
  bindings: ['HTTP+JSON'],
  shownBy: ['/dead-reader'],
  executor: (parts) => ({
    ...parts,
    service: (service) => ({
      ...service,
      observe: (caller, id, signal) => service.observe(caller, id, signal, true),
    }),
  }),
};
