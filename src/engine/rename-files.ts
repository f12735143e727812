import { toSyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import { pretendTransfer } from './approval.ts';
import { moveFile, withMetadataAsIs } from './move-file.ts';
import type { PassGround, Rename } from './pass.ts';
import { createTaskPool } from './task-pool.ts';

/**
 * Renames files at the destination. Resolves to those of both sides for which that succeeded, or was refused.
 *
 * @param targets the new paths of files that have another one at the source
 */
export async function renameFiles(
  work: PassGround,
  renames: readonly Rename[],
  targets?: ReadonlyMap<FileEntry, string>,
): Promise<ReadonlySet<FileEntry>> {
  const { run, options, dest: remote, limit } = work;
  const done = new Set<FileEntry>();
  const pool = createTaskPool(options.transfers, 0);
  const rename = async ({ source, dest }: Rename) => {
    const { path } = dest;
    const to = targets?.get(source) ?? source.path;
    const seen = [
      { remote, path, listed: dest },
      { remote, path: to },
      { remote: work.source, path: source.path, listed: source },
    ];
    try {
      const may = await run.mayChange({ do: 'rename', path, to, file: dest, source }, seen);
      if (may) {
        const spot = { source: remote, file: dest, dest: remote, path: to } as const;
        const job = { ...spot, isStep: true, change: { replaces: 'nothing' } } as const;
        const { written } = await moveFile(run, job, withMetadataAsIs(options));
        run.outcomes?.arrived(to, source, dest, written);
        run.outcomes?.gone(path);
      } else if (run.approval?.pretends === true) pretendTransfer(run, 'rename', dest);
      if (may || run.approval?.pretends === true)
        run.log('info', source.path, 'renamed', { from: path });
      done.add(source).add(dest);
    } catch (thrown) {
      // It is copied and deleted then.
      const error = toSyncerError(thrown);
      if (error.stop) run.fail(error, path, 'rename');
      run.log('debug', path, 'rename-failed', { to, why: error });
    }
  };
  for (const one of renames) {
    if (run.op.signal.aborted || !limit.mayStart()) break;
    await pool.add(() => rename(one));
  }
  await pool.idle();
  return done;
}
