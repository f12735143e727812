import type { Worker } from 'node:worker_threads';
import type { ThreadPlan } from './thread-messages.ts';

/** `answering-thread.ts`, whole: so it is in the bundle with all that it exports. */
export type ThreadModule = typeof import('./answering-thread.ts');

/** What is made for one request is garbage with its answer: more room for it would only take memory. */
const YOUNG_MB = 12;

/** Starts a thread that answers requests. */
export function startWorker({ MODULE_URL }: ThreadModule, plan: ThreadPlan): Worker {
  const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
  return new Thread(startText(), {
    eval: true,
    workerData: { plan, module: MODULE_URL },
    name: 'webhook',
    trackUnmanagedFds: false,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
}

const LOAD = `import(require('node:worker_threads').workerData.module).then((it) => it.answerInThread());`;

/** Threads of an executable do not find its modules by themselves: the build put in a script for that. */
function startText(): string {
  const sea = process.getBuiltinModule('node:sea');
  return sea.isSea() ? `${sea.getAsset('modules.cjs', 'utf8')}\n${LOAD}` : LOAD;
}
