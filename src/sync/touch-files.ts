import { SyncerError } from '../core/errors.ts';
import type { ModTime } from '../core/mod-time.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { changeEachFile, type EachFile } from './each-file.ts';
import type { Run } from './run.ts';

/**
 * Sets the modification time of files, `width` in parallel; resolves to their number. Rejects with `unsupported` if
 * the remote cannot set times.
 */
export async function touchFiles(
  run: Run,
  remote: Remote,
  pages: AsyncIterable<readonly FileEntry[]> | Iterable<readonly FileEntry[]>,
  { modTime, width }: { readonly modTime: ModTime; readonly width: number },
): Promise<number> {
  const { setModTime } = remote.can;
  if (setModTime === undefined) {
    throw new SyncerError('unsupported', `${remote.title} can't set modification times`);
  }
  const how: EachFile = { width, action: 'touch', doing: 'touch' };
  return changeEachFile(run, pages, how, (file) => setModTime(file, modTime, run.op));
}
