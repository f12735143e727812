import type { ScreenModel } from '../../src/screen/screen-model.ts';

/** A model's changes, told no more often than they shall be drawn. */
export interface Redraws {
  subscribe(listener: () => void): () => void;
  version(): number;
  /** Tells a change at once: the answer to a key. */
  now(): void;
}

/** Begins to thin out the changes of a model to one in `refreshMs` milliseconds. */
export function startRedraws(model: ScreenModel<unknown>, refreshMs: number): Redraws {
  const listeners = new Set<() => void>();
  let shown = model.version();
  let timer: NodeJS.Timeout | undefined;
  let lastMs = -Infinity;
  let unsubscribe: (() => void) | undefined;

  const tell = () => {
    clearTimeout(timer);
    timer = undefined;
    if (shown === model.version()) return;
    shown = model.version();
    lastMs = performance.now();
    for (const listener of listeners) listener();
  };
  const onChange = () => {
    timer ??= setTimeout(tell, Math.max(0, lastMs + refreshMs - performance.now()));
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      unsubscribe ??= model.subscribe(onChange);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        unsubscribe?.();
        unsubscribe = undefined;
        clearTimeout(timer);
        timer = undefined;
      };
    },
    version: () => shown,
    now: tell,
  };
}
