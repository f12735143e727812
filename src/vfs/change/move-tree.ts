import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { mapAtOnce } from '../../kit/map-at-once.ts';
import { copyFile, deleteFile } from './move-file.ts';

/** How many files are copied or deleted in parallel. */
const AT_ONCE = 8;

/**
 * Moves a directory file by file, including files hidden by a filter. Deletes nothing before all is copied; if a copy
 * fails, deletes the copies.
 */
export async function moveTree(remote: Remote, from: string, to: string, op: Op): Promise<void> {
  const { files, dirs } = await listBelow(remote, from, op);
  const renamed = (path: string) => to + path.slice(from.length);
  const copies: FileEntry[] = [];
  const made: string[] = [];
  try {
    for (const dir of dirs) {
      await remote.makeDir(renamed(dir), op);
      made.push(renamed(dir));
    }
    await mapAtOnce(files, AT_ONCE, async (file) => {
      op.signal.throwIfAborted();
      copies.push(await copyFile(remote, file, renamed(file.path), op));
    });
  } catch (thrown) {
    // Not with the signal of the call, which may have caused the failure.
    await clear(remote, copies, made, { signal: new AbortController().signal }).catch(() => {});
    throw thrown;
  }
  await clear(remote, files, dirs, op);
}

/** All files below a directory, and the directories, each after its parent. */
async function listBelow(remote: Remote, from: string, op: Op) {
  const files: FileEntry[] = [];
  const dirs = [from];
  for (const dir of dirs) {
    let cursor: string | undefined;
    do {
      const page = await remote.listPage(dir, cursor, op);
      const [failed] = page.failed ?? [];
      if (failed !== undefined) throw toSyncerError(failed.error);
      for (const entry of page.entries) {
        if (entry.kind === 'dir') dirs.push(entry.path);
        else files.push(entry);
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  return { files, dirs };
}

async function clear(
  remote: Remote,
  files: readonly FileEntry[],
  dirs: readonly string[],
  op: Op,
): Promise<void> {
  const { deletesAtOnce } = remote.can;
  if (deletesAtOnce === undefined) {
    await mapAtOnce(files, AT_ONCE, (file) => deleteFile(remote, file, op));
  } else {
    for (let at = 0; at < files.length; at += deletesAtOnce) {
      const failures = await remote.delete(files.slice(at, at + deletesAtOnce), op);
      for (const [file, error] of failures) {
        const text = `${file.path}: was copied, but cannot be deleted: ${error.message}`;
        throw new SyncerError(toSyncerError(error).code, text, { path: file.path, cause: error });
      }
    }
  }
  if (!remote.traits.emptyDirs) return;
  for (const dir of dirs.toReversed()) await remote.deleteDir(dir, op);
}
