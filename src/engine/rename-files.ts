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
  const done = new Set<FileEntry>();
  const pool = createTaskPool(work.options.transfers, 0);
  for (const rename of renames) {
    if (work.run.op.signal.aborted || !work.limit.mayStart()) break;
    await pool.add(async () => {
      const to = targets?.get(rename.source) ?? rename.source.path;
      if (await carryOut(work, rename, to)) done.add(rename.source).add(rename.dest);
    });
  }
  await pool.idle();
  return done;
}

/** Renames a file at the destination. `false` if that failed: it is then copied and deleted. */
async function carryOut(work: PassGround, { source, dest }: Rename, to: string): Promise<boolean> {
  const { run, options, dest: remote } = work;
  try {
    const seen = [
      { remote, path: dest.path, listed: dest },
      { remote, path: to },
      { remote: work.source, path: source.path, listed: source },
    ];
    if (await run.mayChange({ do: 'rename', path: dest.path, to, file: dest, source }, seen)) {
      const spot = { source: remote, file: dest, dest: remote, path: to } as const;
      const job = { ...spot, isStep: true, change: { replaces: 'nothing' } } as const;
      const { written } = await moveFile(run, job, withMetadataAsIs(options));
      run.outcomes?.arrived(to, source, dest, written);
      run.outcomes?.gone(dest.path);
    } else {
      if (run.approval?.pretends !== true) return true;
      pretendTransfer(run, 'rename', dest);
    }
  } catch (thrown) {
    const error = toSyncerError(thrown);
    if (error.stop) run.fail(error, dest.path, 'rename');
    run.log('debug', dest.path, 'rename-failed', { to, why: error });
    return false;
  }
  run.log('info', source.path, 'renamed', { from: dest.path });
  return true;
}
