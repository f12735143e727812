import fs from 'node:fs';
import type { CacheFolder } from './cache-folder.ts';
import { closeFd, openFd } from './file-bytes.ts';

/** So many are made ahead. */
const READY = 4;

/** A new file with bytes, which is open. */
export interface SpareFile {
  readonly id: string;
  readonly fd: number;
}

/**
 * Empty files that are made before somebody needs them: to make one takes long where the disk is at work for others, and
 * whoever creates a file must not wait for that.
 */
export class SpareFiles {
  readonly #folder: Pick<CacheFolder, 'newId' | 'dataPath' | 'removeData'>;
  readonly #ready: SpareFile[] = [];
  /** Also of those that are being made. */
  readonly #ids = new Set<string>();
  #making: Promise<void> | undefined;
  #isClosed = false;

  constructor(folder: Pick<CacheFolder, 'newId' | 'dataPath' | 'removeData'>) {
    this.#folder = folder;
  }

  /** One that belongs to the caller from now on, its descriptor too; `undefined` where none is ready. */
  take(): SpareFile | undefined {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    const file = this.#ready.pop();
    if (file !== undefined) this.#ids.delete(file.id);
    return file;
  }

  /** Whether this is one of them. */
  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Removes what is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#making;
    for (const { id, fd } of this.#ready.splice(0)) {
      await closeFd(fd);
      await this.#folder.removeData(id);
    }
  }

  /** A disk that does not let it is asked again when one is needed, and then told of. */
  async #make(): Promise<void> {
    const { O_RDWR, O_CREAT, O_EXCL } = fs.constants;
    try {
      while (this.#ready.length < READY && !this.#isClosed) {
        const id = this.#folder.newId();
        this.#ids.add(id);
        const fd = await openFd(this.#folder.dataPath(id), O_RDWR | O_CREAT | O_EXCL, 0o600);
        this.#ready.push({ id, fd });
      }
    } catch {
      return;
    }
  }
}
