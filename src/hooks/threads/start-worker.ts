import type { Worker } from 'node:worker_threads';
import { threadPrelude } from '../../core/thread-prelude.ts';
import type { ThreadPlan } from './thread-messages.ts';

/** `answering-thread.ts`, whole: so it is in the bundle with all that it exports. */
export type ThreadModule = typeof import('./answering-thread.ts');

/** What is made for one request is garbage with its answer: more room for it would only take memory. */
const YOUNG_MB = 12;

/** Starts a thread that answers requests. */
export function startWorker({ MODULE_URL }: ThreadModule, plan: ThreadPlan): Worker {
  const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
  return new Thread(`${threadPrelude()}${LOAD}`, {
    eval: true,
    workerData: { plan, module: MODULE_URL },
    name: 'webhook',
    trackUnmanagedFds: false,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
}

const LOAD = `import(require('node:worker_threads').workerData.module).then((it) => it.answerInThread());`;
