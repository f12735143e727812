import { hasCode } from '../../core/errors.ts';
import { listDir, readPages } from '../../core/list-dir.ts';
import type { Entry, FailedEntry, FileEntry, Op, Remote } from '../../core/remote.ts';

/** Directories listed in parallel. */
const AT_ONCE = 8;

function refuse({ error }: FailedEntry): never {
  throw error;
}

/** All files below a directory; empty if it does not exist. Rejects if a part of it cannot be listed. */
export async function filesBelow(
  remote: Remote,
  dir: string,
  op: Op,
): Promise<readonly FileEntry[]> {
  const { listTreePage } = remote.can;
  const found: FileEntry[] = [];
  const take = (page: readonly Entry[], dirs: string[]) => {
    for (const entry of page) entry.kind === 'file' ? found.push(entry) : dirs.push(entry.path);
  };
  try {
    if (listTreePage !== undefined) {
      const read = (cursor: string | undefined) => listTreePage(dir, cursor, op);
      for await (const page of readPages(read, refuse)) take(page, []);
      return found;
    }
    const dirs = [dir];
    const work = async () => {
      for (let next = dirs.pop(); next !== undefined; next = dirs.pop()) {
        for await (const page of listDir(remote, next, op, refuse)) take(page, dirs);
      }
    };
    while (dirs.length > 0) await Promise.all(Array.from({ length: AT_ONCE }, work));
    return found;
  } catch (thrown) {
    if (hasCode(thrown, 'directory-not-found', 'bucket-not-found')) return found;
    throw thrown;
  }
}
