import { hasCode } from '../../src/core/errors.ts';
import type { Entry, FailedEntry, FileEntry, Op, Remote } from '../../src/core/remote.ts';
import { listDir, readPages } from '../../src/core/remote-calls.ts';

/** Directories listed in parallel. */
const AT_ONCE = 8;

function refuse({ error }: FailedEntry): never {
  throw error;
}

/**
 * All files and directories below a directory, parents first, with the directory itself; only on remotes with real
 * directories. No files if it does not exist. Rejects if a part of it cannot be listed.
 */
export async function allBelow(
  remote: Remote,
  dir: string,
  op: Op,
): Promise<{ readonly files: readonly FileEntry[]; readonly dirs: readonly string[] }> {
  const { listTreePage } = remote.can;
  const files: FileEntry[] = [];
  const dirs = [dir];
  const take = (page: readonly Entry[]) => {
    for (const entry of page) entry.kind === 'file' ? files.push(entry) : dirs.push(entry.path);
  };
  try {
    if (listTreePage !== undefined) {
      const read = (cursor: string | undefined) => listTreePage(dir, cursor, op);
      for await (const page of readPages(read, refuse)) take(page);
      return { files, dirs: [dir] };
    }
    let next = 0;
    const work = async () => {
      while (next < dirs.length) {
        for await (const page of listDir(remote, dirs[next++] ?? '', op, refuse)) take(page);
      }
    };
    while (next < dirs.length) await Promise.all(Array.from({ length: AT_ONCE }, work));
  } catch (thrown) {
    if (!hasCode(thrown, 'directory-not-found', 'bucket-not-found')) throw thrown;
  }
  return { files, dirs };
}
