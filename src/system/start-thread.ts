import type { Worker } from 'node:worker_threads';

/** Where a thread gets questions from the main thread and answers each, in order. */
export interface ThreadPort<Question, Answer> {
  on(event: 'message', take: (question: Question) => void): unknown;
  postMessage(answer: Answer): void;
}

/** A thread of this process. It keeps the program running only while it has questions to answer. */
export class Thread<Question, Answer> {
  readonly #worker: Worker;
  readonly #asked: PromiseWithResolvers<Answer>[] = [];
  #hasEnded = false;

  constructor(worker: Worker) {
    this.#worker = worker;
    const onEnd = (error: unknown) => {
      this.#hasEnded = true;
      for (const { reject } of this.#asked.splice(0)) reject(error);
    };
    worker.unref();
    worker.on('error', onEnd);
    worker.on('exit', onEnd);
    worker.on('message', (answer: Answer) => {
      this.#asked.shift()?.resolve(answer);
      if (this.#asked.length === 0) worker.unref();
    });
  }

  /** How many questions it has not answered yet. */
  get waiting(): number {
    return this.#asked.length;
  }

  /** What it was asked and has not answered is rejected. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Resolves to the answer; rejects if the thread has ended. */
  ask(question: Question): Promise<Answer> {
    if (this.#hasEnded) return Promise.reject(new Error('the thread has ended'));
    this.#worker.ref();
    const asked = Promise.withResolvers<Answer>();
    this.#asked.push(asked);
    this.#worker.postMessage(question);
    return asked.promise;
  }
}

/**
 * Starts a thread from the text of functions, which needs no file in a bundle: they must use nothing but Node and the
 * parts, functions that `main` calls under the same rule. `main` gets the port to the main thread, `data` and the parts. In a single executable the text begins with a script that
 * finds the program's modules (`scripts/release/runtime/start-thread.ts`).
 */
export function startThread<Question, Answer, Data, Parts extends readonly unknown[]>(
  main: (port: ThreadPort<Question, Answer>, data: Data, ...parts: Parts) => void,
  data: Data,
  ...parts: Parts
): Thread<Question, Answer> {
  const { Worker: Started } = process.getBuiltinModule('node:worker_threads');
  const threads = "process.getBuiltinModule('node:worker_threads')";
  const given = [`${threads}.parentPort`, `${threads}.workerData`, ...parts].join(',');
  const sea = process.getBuiltinModule('node:sea');
  const prelude = sea.isSea() ? `${sea.getAsset('modules.cjs', 'utf8')}\n` : '';
  const text = `${prelude}(${main})(${given})`;
  return new Thread(new Started(text, { eval: true, execArgv: [], workerData: data }));
}
