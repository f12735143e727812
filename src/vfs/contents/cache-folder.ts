import { createHash, randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Remote } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { makeFolder, makeFolderSync } from '../../system/make-folder.ts';
import { isCacheId } from './journal.ts';

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
    await unlink(this.dataPath(id)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
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
