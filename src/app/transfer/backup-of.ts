import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import { refuseBackupInPlace, refuseBackupOverlap } from '../../engine/place/overlap.ts';
import type { Backup, DeleteMode } from '../../engine/sync-option-parts.ts';
import type { Invocation } from '../command.ts';
import type { Flags } from '../flags/flag-table.ts';

/** What a run goes between. */
export interface Sides {
  readonly source: Remote;
  readonly dest: Remote;
  /** The source is one file, in `source`; otherwise all that is there. */
  readonly isFile?: boolean;
}

/** Where `--backup-dir` and `--suffix` put what is replaced or deleted. Rejects with `fatal` where that is not possible. */
export async function backupOf(
  invocation: Invocation,
  { source, dest, isFile }: Sides,
): Promise<Backup | undefined> {
  const {
    'backup-dir': dir,
    suffix = '',
    'suffix-keep-extension': keepExtension,
  } = invocation.flags;
  if (!dir) return suffix === '' ? undefined : { remote: dest, suffix, keepExtension };
  const remote = await invocation.remotes.openDir(dir).catch((thrown) => {
    const { message } = toSyncerError(thrown);
    throw new SyncerError('fatal', `--backup-dir "${dir}": ${message}`, { cause: thrown });
  });
  const place = { source, dest, backup: remote, suffix };
  const op = { signal: invocation.context.signal };
  if (isFile === true) await refuseBackupInPlace(place, op);
  else await refuseBackupOverlap(place, await invocation.filter(), op);
  return { remote, suffix, keepExtension };
}

/** When `sync` deletes, by its flags. */
export function deleteMode(flags: Flags): DeleteMode {
  const modes = ['before', 'during', 'after'] as const;
  return modes.find((when) => flags[`delete-${when}`]) ?? 'after';
}
