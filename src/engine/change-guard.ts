import type { Context } from '../core/context.ts';
import type { Reason } from '../core/reason.ts';
import type { FileEntry } from '../core/remote.ts';

/** Which version of a file stays that both sides of a two-way sync changed. */
export type Keep = 'path1' | 'path2' | 'both';

/** A planned change. */
export interface Change {
  /** The action in rclone's words: `copy`, `delete`, `make directory`. */
  readonly action: string;
  /** Its path, or the title of a remote. */
  readonly about: string;
  /** Of a file, in bytes; -1 unknown. */
  readonly size?: number;
  /** The side that is changed; by default the destination. */
  readonly side?: 'source' | 'dest';
  /** The file of the source. */
  readonly source?: FileEntry;
  /** The existing file: replaced, deleted, or renamed. */
  readonly dest?: FileEntry;
  /** The target of the file, if that is not `about`. */
  readonly to?: string;
  readonly reason?: Reason;
  /** Of a two-way sync: which of its two paths is changed. */
  readonly toPath?: 1 | 2;
  /** Of a conflict of a two-way sync, whose files are `source` and `dest`: which keeps its name by the rule. */
  readonly winner?: 1 | 2 | undefined;
  /** It only protects another change, which is checked by itself: the old file goes into the backup. */
  readonly isBackup?: boolean;
  /** It only completes other changes and needs no answer: the time of a directory. */
  readonly follows?: true;
}

/** Decides whether a change is made: `--dry-run` allows none, `--interactive` asks. */
export interface ChangeGuard {
  /** The flag behind the guard, for reports of refused changes. */
  readonly flag: '--dry-run' | '--interactive' | '--review';
  /** It decides without a question: many changes may be submitted before the first is made. */
  readonly answersAtOnce?: boolean;
  /** It reports refused changes itself. */
  readonly isSilent?: boolean;
  /** Refused changes count as done, as in rclone: the statistics show what a run would do. */
  readonly pretends?: true;
  /** It records changes for a plan, which a person will look at. */
  readonly plans?: true;
  /** Whether a plan deletes that file already: the rest is planned as if it were gone. */
  readonly isTaken?: (path: string) => boolean;
  /** What a person has chosen for a conflict; `undefined`: the rule of the command. */
  readonly keep?: (change: Change) => Keep | undefined;
  /** Rejects if it cannot ask; the change must then not be made. */
  allows(change: Change): boolean | Promise<boolean>;
}

/** `--dry-run`: refuses every change. */
export const dryRunGuard: ChangeGuard = {
  flag: '--dry-run',
  pretends: true,
  allows: () => false,
};

/** What `mayChange` needs of a run. */
export interface Guarded {
  readonly context: Pick<Context, 'emit'>;
  /** Absent: every change is allowed. */
  readonly guard?: ChangeGuard | undefined;
}

/** Whether a change may be made: called before every change. Logs a refused change. Rejects if the guard does. */
export async function mayChange({ context, guard }: Guarded, change: Change): Promise<boolean> {
  if (guard === undefined || (await guard.allows(change))) return true;
  if (guard.isSilent === true) return false;
  const { about, to, size = -1 } = change;
  const isRenamed = change.action === 'move' && to !== undefined && to !== about;
  const action = isRenamed ? `move to ${to}` : change.action;
  const fields = { action, flag: guard.flag, size };
  context.emit({ type: 'log', level: 'notice', path: about, code: 'skipped', fields });
  return false;
}

/** A transfer that the guard has refused counts as `pretendTransfer` says; with `--dry-run` a copy is a file transferred. */
export function leaveTransfer(
  run: Guarded & { nextId(): number; readonly transferred: { files: number } },
  verb: 'copy' | 'sync' | 'move',
  action: 'copy' | 'move',
  file: FileEntry,
): false {
  pretendTransfer(run, action, file);
  if (verb !== 'move' && run.guard?.pretends === true) run.transferred.files++;
  return false;
}

/** Counts a refused transfer as done if the guard pretends; else no longer as waiting. */
export function pretendTransfer(
  { context, guard, nextId }: Guarded & { nextId(): number },
  action: 'copy' | 'move',
  { path, size: told }: FileEntry,
): void {
  const size = Math.max(0, told);
  const { emit } = context;
  if (guard?.pretends !== true) {
    emit({ type: 'transfer-queued', files: -1, bytes: -size });
    return;
  }
  const id = nextId();
  const kind = action === 'move' ? 'server-move' : 'copy';
  emit({ type: 'transfer-start', id, kind, path, size });
  emit({ type: 'transfer-bytes', id, bytes: size });
  emit({ type: 'transfer-end', id });
  if (action === 'move') emit({ type: 'renamed', files: 1 });
}
