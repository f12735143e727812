import type { MemoryBudget, MemoryShare } from '../core/context.ts';

/**
 * A budget of `limit` bytes, which can be lowered. Shares are given in the order of the calls. If nothing is held, any share is given, so
 * that every caller gets its turn.
 */
export function memoryBudget(limit: number): MemoryBudget & { limit: number } {
  const waiting: { least: number; most: number; start: (share: MemoryShare) => void }[] = [];
  let held = 0;

  const fits = (least: number) => held === 0 || held + least <= budget.limit;
  const share = (least: number, most: number): MemoryShare => {
    const bytes = Math.max(least, Math.min(most, budget.limit - held));
    held += bytes;
    let isHeld = true;
    return {
      bytes,
      release() {
        if (!isHeld) return;
        isHeld = false;
        held -= bytes;
        serve();
      },
    };
  };
  const serve = () => {
    for (let next = waiting[0]; next !== undefined && fits(next.least); next = waiting[0]) {
      waiting.shift();
      next.start(share(next.least, next.most));
    }
  };

  const budget: MemoryBudget & { limit: number } = {
    limit,
    async take(least, most, signal) {
      signal.throwIfAborted();
      if (waiting.length === 0 && fits(least)) return share(least, most);
      const { promise, resolve, reject } = Promise.withResolvers<MemoryShare>();
      const one = { least, most, start: resolve };
      const onAbort = () => {
        waiting.splice(waiting.indexOf(one) >>> 0, 1);
        reject(signal.reason);
        serve();
      };
      waiting.push(one);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
  return budget;
}
