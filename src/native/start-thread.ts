import type { MessagePort, Worker } from 'node:worker_threads';

/** Where a thread hears from the main thread. */
export type ThreadPort = MessagePort;

/** A thread of this process. */
export type Thread = Worker;

/** What runs in a thread: called with the port to the main thread, the data it was started with, and the parts. */
export type ThreadMain<Data, Parts extends readonly unknown[]> = (
  port: ThreadPort,
  data: Data,
  ...parts: Parts
) => void;

/**
 * Starts a thread from the text of functions, so that it needs no file of its own in a bundle: nothing from outside may
 * be used in them but what Node has, and the parts.
 *
 * @param parts functions that `main` calls, under the same rule
 */
export function startThread<Data, Parts extends readonly unknown[]>(
  main: ThreadMain<Data, Parts>,
  data: Data,
  ...parts: Parts
): Thread {
  const { Worker: Started } = process.getBuiltinModule('node:worker_threads');
  const threads = "process.getBuiltinModule('node:worker_threads')";
  const given = [`${threads}.parentPort`, `${threads}.workerData`, ...parts].join(',');
  const text = `${prelude()}(${main})(${given})`;
  return new Started(text, { eval: true, execArgv: [], workerData: data });
}

/**
 * In a single executable a script that finds the program's modules, which the main thread has run already
 * (`scripts/release/runtime/start-thread.ts`); elsewhere nothing.
 */
function prelude(): string {
  const sea = process.getBuiltinModule('node:sea');
  return sea.isSea() ? `${sea.getAsset('modules.cjs', 'utf8')}\n` : '';
}
