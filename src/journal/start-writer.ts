/** Starts the writer's thread from compiled code, or from source where the process itself runs from source (tests). */
import { Worker } from 'node:worker_threads';
import type { WorkerData } from './writer-worker.js';

export function startWriter(workerData: WorkerData): Worker {
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./writer-worker.js', import.meta.url), { workerData });
  // A thread does not inherit the loader that --import registered (Node.js 20), so it registers it itself.
  const source = new URL('./writer-worker.ts', import.meta.url).href;
  const boot = `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(source)}); });`;
  return new Worker(boot, { eval: true, workerData });
}
