import { SyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import { copyFile } from './copy-file.ts';
import { type CopyJob, mayWorkInStore } from './copy-job.ts';
import type { Run } from './run.ts';
import type { SyncOptions } from './sync-options.ts';

/**
 * Moves one file: by the store itself where it can, else copied, verified, and only then deleted.
 * Rejects with the error; the source is then still there.
 */
export async function moveFile(run: Run, job: CopyJob, options: SyncOptions): Promise<FileEntry> {
  const moveFrom = mayWorkInStore(job, options) ? job.dest.can.moveFrom : undefined;
  const moved = await moveFrom?.(job.source, job.file, job.path, run.op);
  if (moved !== undefined) {
    run.context.emit({ type: 'renamed', files: 1 });
    const to = job.path === job.file.path ? '' : ` to: ${job.path}`;
    run.log('info', job.file.path, `Moved (server-side)${to}`);
    return moved;
  }
  const { file, how } = await copyFile(run, job, options);
  run.log(
    'info',
    job.file.path,
    how === 'server-copied' ? 'Copied (server-side copy)' : 'Copied (new)',
  );
  if (job.source === job.dest && job.path === job.file.path) {
    throw new SyncerError('other', 'cannot move a file onto itself');
  }
  await job.source.remove(job.file, run.op);
  run.context.emit({ type: 'deleted', files: 1, dirs: 0, bytes: Math.max(0, job.file.size) });
  run.log('info', job.file.path, 'Deleted');
  return file;
}
