import type { CachedFile } from './cached-file.ts';

/** The files that hold what the remote does not, by directory. */
export class DirtyFiles {
  readonly #byDir = new Map<string, Set<CachedFile>>();
  readonly #dirs = new Map<CachedFile, string>();

  /** Its state or its directory may be another; `undefined` where it has no name. */
  note(file: CachedFile, dir: string | undefined): void {
    const old = this.#dirs.get(file);
    const now = file.isDirty ? dir : undefined;
    if (old === now) return;
    if (old !== undefined) {
      const files = this.#byDir.get(old);
      files?.delete(file);
      if (files?.size === 0) this.#byDir.delete(old);
      this.#dirs.delete(file);
    }
    if (now === undefined) return;
    const files = this.#byDir.get(now) ?? new Set();
    this.#byDir.set(now, files.add(file));
    this.#dirs.set(file, now);
  }

  in(dir: string): Iterable<CachedFile> {
    return this.#byDir.get(dir) ?? [];
  }

  all(): Iterable<CachedFile> {
    return this.#dirs.keys();
  }
}
