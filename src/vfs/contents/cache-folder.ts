import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { readdir, rename, rm, stat, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Remote } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { makeFolder, makeFolderSync } from '../../system/make-folder.ts';
import { closeFd, openFd } from './file-bytes.ts';
import { isCacheId } from './journal-record.ts';

/** How long files in `aside/` are kept, in milliseconds. */
const ASIDE_MS = 30 * 24 * 3_600_000;

/**
 * The cache directory of one remote: `journal`, `lock`, `data/` with a randomly named file for each cached file, and
 * `aside/` with files that can neither be uploaded nor deleted.
 */
export class CacheFolder {
  readonly path: string;

  /** @param cacheDir absolute path, of all remotes */
  constructor(cacheDir: string, remote: Remote) {
    const identity = JSON.stringify([remote.storeId ?? remote.name, remote.root]);
    const name = createHash('sha256').update(identity).digest('hex').slice(0, 24);
    this.path = join(cacheDir, 'vfs', name);
  }

  get journal(): string {
    return join(this.path, 'journal');
  }

  get lock(): string {
    return join(this.path, 'lock');
  }

  /** Creates it if missing. Throws errors of the file system. */
  make(): void {
    makeFolderSync(join(this.path, 'data'), 0o700);
  }

  /** The free space of its disk for this user, in bytes. */
  async freeSpace(): Promise<number> {
    const { bavail, bsize } = await statfs(this.path);
    return bavail * bsize;
  }

  newId(): string {
    return randomBytes(12).toString('hex');
  }

  dataPath(id: string): string {
    return join(this.path, 'data', id);
  }

  /** Deletes the data of a file. */
  async removeData(id: string): Promise<void> {
    await unlink(this.dataPath(id)).catch(ignoreMissing);
  }

  /** Keeps the data of a file for its user. Resolves to its new path; `undefined` if there was none. */
  async setAside(id: string, path: string): Promise<string | undefined> {
    const from = this.dataPath(id);
    const found = await stat(from).catch(() => undefined);
    if (found === undefined || found.size === 0) {
      await this.removeData(id);
      return undefined;
    }
    const folder = join(this.path, 'aside');
    await makeFolder(folder, 0o700);
    const leaf = leafName(path)
      .replace(/[^\w.-]/g, '_')
      .slice(0, 100);
    const to = join(folder, `${id}-${leaf}`);
    await rename(from, to);
    return to;
  }

  /** The ids of data files that are not known. */
  async unknown(isKnown: (id: string) => boolean): Promise<readonly string[]> {
    const ids = await readdir(join(this.path, 'data')).catch(() => []);
    return ids.filter((id) => isCacheId(id) && !isKnown(id));
  }

  /** Deletes unknown data files, and old files in `aside/`; leaves others alone. */
  async sweep(isKnown: (id: string) => boolean, nowMs: number): Promise<void> {
    for (const id of await this.unknown(isKnown)) await this.removeData(id);
    const aside = join(this.path, 'aside');
    for (const name of await readdir(aside).catch(() => [])) {
      const found = await stat(join(aside, name)).catch(() => undefined);
      if (found !== undefined && nowMs - found.ctimeMs > ASIDE_MS) {
        await rm(join(aside, name), { force: true });
      }
    }
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** How many are created in advance. */
const READY = 4;

/** A new, open data file. */
export interface SpareFile {
  readonly id: string;
  readonly fd: number;
}

/** Empty files created in advance: on a busy disk, creating one is slow. */
export class SpareFiles {
  readonly #folder: Pick<CacheFolder, 'newId' | 'dataPath' | 'removeData'>;
  readonly #ready: SpareFile[] = [];
  /** Including those being created. */
  readonly #ids = new Set<string>();
  #making: Promise<void> | undefined;
  #isClosed = false;

  constructor(folder: Pick<CacheFolder, 'newId' | 'dataPath' | 'removeData'>) {
    this.#folder = folder;
  }

  /** A file that the caller owns from now on, with its descriptor; `undefined` if none is ready. */
  take(): SpareFile | undefined {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    for (let file = this.#ready.pop(); file !== undefined; file = this.#ready.pop()) {
      this.#ids.delete(file.id);
      // What is written to a file that another program has deleted is lost when it is closed.
      if (fs.fstatSync(file.fd).nlink > 0) return file;
      fs.closeSync(file.fd);
    }
    return undefined;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Deletes what is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#making;
    for (const { id, fd } of this.#ready.splice(0)) {
      await closeFd(fd);
      await this.#folder.removeData(id);
    }
  }

  /** If the disk refuses, the error is reported when a file is needed and cannot be created either. */
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
