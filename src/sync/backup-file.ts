import { hasCode, SyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';
import { copyFile } from './copy-file.ts';
import { moveFile } from './move-file.ts';
import type { Run } from './run.ts';
import type { Backup, SyncOptions } from './sync-options.ts';

/** The name of a file in the backup: rclone's `--suffix` and `--suffix-keep-extension`. */
export function backupPath(path: string, backup: Pick<Backup, 'suffix' | 'keepExtension'>): string {
  if (backup.suffix === '') return path;
  const leaf = leafName(path);
  const dot = leaf.lastIndexOf('.');
  if (!backup.keepExtension || dot < 0) return path + backup.suffix;
  const cut = path.length - leaf.length + dot;
  return path.slice(0, cut) + backup.suffix + path.slice(cut);
}

/**
 * Copies a file that is about to be overwritten into the backup. A copy and not a move: the file stays in place until
 * its replacement is complete. It counts as the move that it is in rclone, and keeps the file's metadata as a move
 * does, as far as they can be set.
 */
export async function backUpBeforeReplace(
  run: Run,
  dest: Remote,
  file: FileEntry,
  backup: Backup,
  options: SyncOptions,
): Promise<void> {
  const path = backupPath(file.path, backup);
  const job = { source: dest, file, dest: backup.remote, path, kind: 'server-move' } as const;
  const [own, other] = [
    { remote: dest, file },
    { remote: backup.remote, file: { path } },
  ];
  if (await run.places.isSameFile(own, other)) throw isNoBackup(file);
  try {
    await copyFile(run, job, { ...options, metadata: { set: {} } });
  } catch (thrown) {
    if (!hasCode(thrown, 'metadata')) throw thrown;
    run.log('notice', file.path, 'backup-metadata', { why: thrown });
  }
  run.context.emit({ type: 'renamed', files: 1 });
  run.log('info', file.path, 'backup-copied', { to: path === file.path ? undefined : path });
}

/** Moves a file into the backup instead of deleting it. */
export async function moveIntoBackup(
  run: Run,
  dest: Remote,
  file: FileEntry,
  backup: Backup,
  options: SyncOptions,
): Promise<void> {
  const path = backupPath(file.path, backup);
  const how = await moveFile(run, { source: dest, file, dest: backup.remote, path }, options);
  if (how === 'refused') throw isNoBackup(file);
  run.log('info', file.path, 'backup-moved');
}

function isNoBackup({ path }: FileEntry): SyncerError {
  const message = 'the backup name refers to the same file';
  return new SyncerError('fatal', message, { path, advice: 'choose another --backup-dir' });
}
