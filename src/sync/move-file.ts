import { SyncerError } from '../core/errors.ts';
import { copiedMessage, copyFile } from './copy-file.ts';
import { type CopyJob, mayWorkInStore } from './copy-job.ts';
import type { Run } from './run.ts';
import type { SyncOptions } from './sync-options.ts';
import type { TransferLimit } from './transfer-limit.ts';

/**
 * Moves one file: by the store itself where it can, else copied, verified, and only then deleted.
 * Resolves to how, or to `refused` where the `limit` does not let it be copied. Rejects with the error; the
 * source is then still there.
 */
export async function moveFile(
  run: Run,
  job: CopyJob,
  options: SyncOptions,
  limit?: TransferLimit,
): Promise<'moved' | 'copied' | 'refused'> {
  if (await moveInStore(run, job, options)) return 'moved';
  const { file } = job;
  if (limit !== undefined && !limit.mayCopy(file.size)) return 'refused';
  const { how } = await copyFile(run, job, options);
  limit?.copied(file.size);
  run.log('info', file.path, copiedMessage(job, how));
  if (job.source === job.dest && job.path === file.path) {
    throw new SyncerError('other', 'cannot move a file onto itself');
  }
  await job.source.remove(file, run.op);
  const { emit } = run.context;
  emit({ type: 'deleted', files: 1, dirs: 0, bytes: Math.max(0, file.size) });
  // rclone counts every move as a check and as a rename.
  emit({ type: 'check-queued', files: 1 });
  emit({ type: 'checked', files: 1 });
  emit({ type: 'renamed', files: 1 });
  run.log('info', file.path, 'Deleted');
  return 'copied';
}

/** Lets the store move the file; `false` where it cannot. */
async function moveInStore(run: Run, job: CopyJob, options: SyncOptions): Promise<boolean> {
  const { source, dest, file, path } = job;
  const moveFrom = mayWorkInStore(job, options) ? dest.can.moveFrom : undefined;
  const moved = await moveFrom?.(source, file, path, run.op);
  if (moved === undefined) return false;
  const { emit } = run.context;
  const id = run.nextId();
  const size = Math.max(0, file.size);
  emit({ type: 'transfer-start', id, kind: 'server-move', path: file.path, size });
  emit({ type: 'transfer-bytes', id, bytes: size });
  emit({ type: 'transfer-end', id });
  emit({ type: 'renamed', files: 1 });
  run.log('info', file.path, `Moved (server-side)${path === file.path ? '' : ` to: ${path}`}`);
  return true;
}
