import type { Context } from '../core/context.ts';
import type { Reason } from '../core/reason.ts';
import type { FileEntry } from '../core/remote.ts';

/** Something that is about to be changed. */
export interface Change {
  /** What would be done, in rclone's words: `copy`, `delete`, `make directory`. */
  readonly action: string;
  /** The path it is done to, or the title of a remote. */
  readonly about: string;
  /** Of a file, in bytes; -1 unknown. */
  readonly size?: number;
  /** The side that is changed; the destination where absent. */
  readonly side?: 'source' | 'dest';
  /** The file of the source that it is about. */
  readonly source?: FileEntry;
  /** The file that is there before: replaced, deleted, or renamed. */
  readonly dest?: FileEntry;
  /** Where the file goes, where that is not `about`. */
  readonly to?: string;
  readonly reason?: Reason;
  /** It only makes another change safe, which is asked for by itself: the old file goes into the backup. */
  readonly isBackup?: boolean;
}

/** Decides of every change whether it is made: `--dry-run` allows none, `--interactive` asks. */
export interface ChangeGuard {
  /** The flag that wants it, for what is told of changes that are left undone. */
  readonly flag: '--dry-run' | '--interactive' | '--review';
  /** It answers without asking anybody: many changes may be asked for before the first is made. */
  readonly answersAtOnce?: boolean;
  /** It tells by itself what is left undone, which then counts nowhere as done, as it does with the others. */
  readonly isSilent?: boolean;
  /** Whether a plan deletes that file already: what follows is planned as if it were gone. */
  readonly isTaken?: (path: string) => boolean;
  /** Rejects where nobody can be asked; the change must then not be made. */
  allows(change: Change): boolean | Promise<boolean>;
}

/** `--dry-run`: nothing is changed. */
export const dryRunGuard: ChangeGuard = { flag: '--dry-run', allows: () => false };

/** What `mayChange` needs of a run. */
export interface Guarded {
  readonly context: Pick<Context, 'emit'>;
  /** Absent: everything may be changed. */
  readonly guard?: ChangeGuard | undefined;
}

/**
 * Whether a change may be made: the one question that comes before every one of them. Logs a change that is
 * not made. Rejects where the guard does.
 */
export async function mayChange({ context, guard }: Guarded, change: Change): Promise<boolean> {
  if (guard === undefined || (await guard.allows(change))) return true;
  if (guard.isSilent === true) return false;
  const { action, about, size = -1 } = change;
  const fields = { action, flag: guard.flag, size };
  context.emit({ type: 'log', level: 'notice', path: about, code: 'skipped', fields });
  return false;
}
