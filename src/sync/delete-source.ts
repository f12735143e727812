import type { FileEntry } from '../core/remote.ts';
import type { FileWork } from './file-work.ts';
import { deleteUnchanged, tellSameFile } from './move-file.ts';
import type { FileAt } from './place/show-apart.ts';

/** Deletes a file of the source whose content `kept` has, unless that is the same file. Errors are counted. */
export async function deleteSource(
  { run, source: remote, limit }: Pick<FileWork, 'run' | 'source' | 'limit'>,
  source: FileEntry,
  kept: FileAt,
): Promise<void> {
  try {
    const doomed = { remote, file: source };
    if (await run.places.isSameFile(doomed, kept)) return tellSameFile(run, source);
    if (!limit.mayDelete()) return;
    const change = { action: 'delete', about: source.path, size: source.size, source };
    if (await run.mayChange({ ...change, side: 'source' })) {
      const shown = run.places.showApart(doomed, kept);
      if (shown !== undefined) await shown;
      await deleteUnchanged(remote, source, run.op);
      run.log('info', source.path, 'deleted');
    } else if (run.guard?.isSilent === true) {
      return;
    }
    run.context.emit({ type: 'deleted', files: 1, dirs: 0, bytes: Math.max(0, source.size) });
  } catch (thrown) {
    run.fail(thrown, source.path, 'delete');
  }
}
