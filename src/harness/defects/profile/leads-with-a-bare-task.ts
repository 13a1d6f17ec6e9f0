import type { Defect } from '../defect.js';

/** PRF-22: the Task that leads a stream is said to include its events, and what the agent made is not in it (A2A 3.1.6). */
export const leadsWithABareTask: Defect = {
  id: 'leads-with-a-bare-task',
  breaks: 'on WSS the Task that leads a stream comes without its artifacts',
  fails: ['PRF-22'],
  bindings: ['WSS'],
  shownBy: ['/chunked'],
  executor: (parts) => ({
    ...parts,
    service: (service, binding) => ({
      ...service,
      async observe(caller, id, signal, terminalOk) {
        const { snapshot, events } = await service.observe(caller, id, signal, terminalOk);
        return { snapshot: binding === 'WSS' ? { ...snapshot, artifacts: [] } : snapshot, events };
      },
    }),
  }),
};
