/** Runs tasks, at most `width` at once, and holds the adder back while more than `backlog` wait. */
export interface TaskPool {
  /** Resolves when the task is running or has found a place among those that wait. Tasks must not reject. */
  add(task: () => Promise<void>): Promise<void>;
  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void>;
}

/** A pool of `width` places with room for `backlog` waiting tasks. */
export function createTaskPool(width: number, backlog: number): TaskPool {
  const waiting: (() => Promise<void>)[] = [];
  const blockedAdders: (() => void)[] = [];
  const idlers: (() => void)[] = [];
  let head = 0;
  let running = 0;

  const take = (): (() => Promise<void>) | undefined => {
    const task = waiting[head];
    if (task === undefined) return undefined;
    head++;
    if (head > 1024 && head * 2 > waiting.length) {
      waiting.splice(0, head);
      head = 0;
    }
    blockedAdders.shift()?.();
    return task;
  };

  const work = async (first: () => Promise<void>) => {
    running++;
    for (let task: (() => Promise<void>) | undefined = first; task !== undefined; task = take()) {
      await task();
    }
    running--;
    if (running === 0) for (const wake of idlers.splice(0)) wake();
  };

  return {
    async add(task) {
      if (running < width) {
        void work(task);
        return;
      }
      waiting.push(task);
      if (waiting.length - head > backlog) {
        await new Promise<void>((resolve) => blockedAdders.push(resolve));
      }
    },
    async idle() {
      while (running > 0) await new Promise<void>((resolve) => idlers.push(resolve));
    },
  };
}
