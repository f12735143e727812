import type { Op } from '../../core/remote.ts';
import { isWithin } from '../../core/remote-path.ts';

/** The paths at which names are about to change on the remote: nothing may be written there. */
export class Holds {
  readonly #counts = new Map<string, number>();
  readonly #onLetGo: () => void;
  #waiting: (() => void)[] = [];

  /** @param onLetGo called when a path is released */
  constructor(onLetGo: () => void) {
    this.#onLetGo = onLetGo;
  }

  /** Holds `path` and all below it until the returned function is called. */
  hold(path: string): () => void {
    this.#counts.set(path, (this.#counts.get(path) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#counts.get(path) ?? 1) - 1;
      if (left === 0) this.#counts.delete(path);
      else this.#counts.set(path, left);
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const go of waiting) go();
      this.#onLetGo();
    };
  }

  isHeld(path: string | undefined): boolean {
    if (path === undefined || this.#counts.size === 0) return false;
    for (const held of this.#counts.keys()) if (isWithin(held, path)) return true;
    return false;
  }

  /** Resolves when the path is not held; rejects with the signal's reason. */
  async free(path: () => string | undefined, { signal }: Op): Promise<void> {
    while (this.isHeld(path())) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    signal.throwIfAborted();
  }
}
