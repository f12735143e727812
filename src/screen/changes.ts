/** The listeners of a screen model, and how often it has changed. */
export interface ScreenChanges {
  /** Something that shows has changed. */
  tell(): void;
  subscribe(listener: () => void): () => void;
  version(): number;
}

/** No changes and no listeners yet. */
export function startChanges(): ScreenChanges {
  const listeners = new Set<() => void>();
  let version = 0;
  return {
    tell() {
      version++;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
  };
}
