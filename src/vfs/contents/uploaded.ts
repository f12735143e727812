import type { FileEntry } from '../../core/remote.ts';

/** Tells everybody of what has reached the remote. */
export class Uploaded {
  readonly #listeners: ((path: string, entry: FileEntry) => void)[] = [];

  on(listener: (path: string, entry: FileEntry) => void): void {
    this.#listeners.push(listener);
  }

  tell(path: string, entry: FileEntry): void {
    for (const listener of this.#listeners) listener(path, entry);
  }
}
