import type { FileEntry } from '../../core/remote.ts';
import type { Transfer } from '../action.ts';
import type { Change } from '../change-guard.ts';
import type { PassGround } from '../file-work.ts';
import type { Pass } from '../pass.ts';
import type { Run } from '../run.ts';
import type { SyncOptions } from '../sync-options.ts';
import { backupPath } from './backups.ts';

/**
 * `--dry-run`, `--interactive` and `--review` of transfers; absent without them. With `--dry-run` a copy counts as done
 * and a move does not, as in rclone.
 */
export function guardPass(work: PassGround): Pass | undefined {
  const { run, verb } = work;
  if (run.guard === undefined) return undefined;
  return {
    async admit(transfer) {
      if (await mayTransfer(work, transfer)) return true;
      if (verb !== 'move' && run.guard?.pretends === true) run.transferred.files++;
      return false;
    },
  };
}

/** Whether a file may be transferred. If the old file may not be moved into the backup, nothing may replace it. */
async function mayTransfer(
  { run, options }: PassGround,
  { do: action, source, replaces, path, reason }: Transfer,
): Promise<boolean> {
  const backUp = replaces !== undefined && options.backup !== undefined;
  const mayBackUp = !backUp || (await mayDo(run, 'move', replaces, inBackup(replaces, options)));
  const isRenamed = options.transform !== undefined && run.guard?.flag === '--dry-run';
  const details = {
    source,
    to: path,
    ...(replaces === undefined ? {} : { dest: replaces }),
    ...(reason === undefined ? {} : { reason }),
  };
  const shown =
    isRenamed && action === 'copy' && path !== source.path ? { action: `copy to ${path}` } : {};
  if (mayBackUp) return mayDo(run, action, source, { ...details, ...shown });
  if (run.guard?.flag === '--dry-run') await run.mayChange(changeOf(action, source));
  else run.log('notice', source.path, 'no-backup');
  pretend(run, action, source);
  return false;
}
function inBackup({ path }: FileEntry, { backup }: SyncOptions): Partial<Change> {
  return { isBackup: true, ...(backup && { to: backupPath(path, backup) }) };
}

async function mayDo(
  run: Run,
  action: 'copy' | 'move',
  file: FileEntry,
  details: Partial<Change>,
): Promise<boolean> {
  if (await run.mayChange({ ...changeOf(action, file), ...details })) return true;
  pretend(run, action, file);
  return false;
}

function changeOf(action: string, { path, size }: FileEntry): Change {
  return { action, about: path, size };
}

/** Counts a refused transfer as done if the guard pretends; else no longer as waiting. */
function pretend(run: Run, action: 'copy' | 'move', { path, size: told }: FileEntry): void {
  const size = Math.max(0, told);
  const { emit } = run.context;
  if (run.guard?.pretends !== true) {
    emit({ type: 'transfer-queued', files: -1, bytes: -size });
    return;
  }
  const id = run.nextId();
  const kind = action === 'move' ? 'server-move' : 'copy';
  emit({ type: 'transfer-start', id, kind, path, size });
  emit({ type: 'transfer-bytes', id, bytes: size });
  emit({ type: 'transfer-end', id });
  if (action === 'move') emit({ type: 'renamed', files: 1 });
}
