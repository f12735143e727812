import type { FileEntry, Remote } from '../core/remote.ts';
import { removeUnchanged } from './move-file.ts';
import type { Run } from './run.ts';
import type { TransferLimit } from './transfer-limit.ts';

/** What of a run it takes to remove a file of its source. */
interface Removing {
  readonly run: Run;
  readonly source: Remote;
  readonly limit: TransferLimit;
}

/** Removes a file of the source that is where it shall be already. Errors are counted. */
export async function removeSource(
  { run, source: remote, limit }: Removing,
  source: FileEntry,
): Promise<void> {
  if (!limit.mayDelete()) return;
  try {
    const change = { action: 'delete', about: source.path, size: source.size, source };
    if (await run.mayChange({ ...change, side: 'source' })) {
      await removeUnchanged(remote, source, run.op);
      run.log('info', source.path, 'Deleted');
    } else if (run.guard?.isSilent === true) {
      return;
    }
    run.context.emit({ type: 'deleted', files: 1, dirs: 0, bytes: Math.max(0, source.size) });
  } catch (thrown) {
    run.fail(thrown, source.path, "Couldn't delete: ");
  }
}
