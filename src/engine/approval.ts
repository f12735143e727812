import type { Context } from '../core/context.ts';
import type { Entry, FileEntry, Remote } from '../core/remote.ts';
import { type Action, shownAction } from './action.ts';
import type { ErrorTally } from './error-tally.ts';
import type { Looking } from './file-at.ts';

/** Which version of a file stays that both sides of a two-way sync changed. */
export type Keep = 'path1' | 'path2' | 'both';

/** What happens after a plan was shown: its choice is made, it is planned again, or the run ends. */
export type AfterPlan = 'make' | 'again' | 'end';

/** Decides whether a change is made: `--dry-run` allows none, `--interactive` asks. */
export interface Approval {
  /** The flag behind the approval, for reports of refused changes. */
  readonly flag: '--dry-run' | '--interactive' | '--review';
  /** It reports refused changes itself. */
  readonly isSilent?: boolean;
  /** Refused changes count as done, as in rclone: the statistics show what a run would do. */
  readonly pretends?: true;
  /** It records changes for a plan, which a person will look at, and allows none. */
  readonly plans?: boolean;
  /** Of a review: resolves as the chosen changes begin to be made. */
  readonly made?: Promise<void> | undefined;
  /** Its actions were planned by this run, and have waited since. */
  readonly waits?: boolean;
  /** An action is left, as what it is about has changed since it was shown. */
  leave?(action: Action): void;
  /** Nothing will be changed after the plan: it is printed, saved or looked at. */
  readonly readOnly?: boolean;
  /**
   * A plan is made from two listings: a page of the destination, the first one empty.
   *
   * @param isAll all that is at the destination comes up
   */
  saw?(
    sides: { readonly source: Remote; readonly dest: Remote },
    page: readonly Entry[],
    isAll: boolean,
  ): void;
  /** All was listed; the changes follow. */
  listed?(): void;
  /**
   * All changes were recorded: shows them. After `make` the approval allows those that were chosen.
   *
   * @param mayRetry another attempt could plan more
   */
  readonly choose?: ((mayRetry: boolean) => Promise<AfterPlan>) | undefined;
  /** Whether a plan deletes that file already: the rest is planned as if it were gone. */
  isTaken?(path: string): boolean;
  /** What a person has chosen for a conflict; `undefined`: the rule of the command. */
  keep?(action: Action): Keep | undefined;
  /** Rejects if it cannot ask; the change must then not be made. */
  allows(action: Action): boolean | Promise<boolean>;
}

/**
 * Makes changes. In a review `change` is called twice: first nothing is changed, and all changes are recorded and shown;
 * then those are made that were chosen. Errors of the first time are forgotten then, as they come up again.
 */
export async function inReview(
  { approval, tally, op }: Pick<Approved, 'approval'> & Looking & { readonly tally: ErrorTally },
  change: () => Promise<void>,
): Promise<void> {
  if (approval?.plans !== true) return change();
  approval.listed?.();
  const forget = tally.mark();
  await change();
  if (op.signal.aborted || tally.deciding?.stop === true) return;
  const next = (await approval.choose?.(tally.worthRetrying)) ?? 'again';
  if (next === 'end') tally.endRetries();
  if (next !== 'make') return;
  forget();
  await change();
}

/** Whether an approval may allow changes now: not `--dry-run`, and not while a plan is made. */
export function changesNow(approval: Approval | undefined): boolean {
  return approval?.pretends !== true && (approval?.plans !== true || approval.waits === true);
}

/** `--dry-run`: refuses every change. */
export const dryRunApproval: Approval = { flag: '--dry-run', pretends: true, allows: () => false };

/** What `mayChange` needs of a run. */
export interface Approved {
  readonly context: Pick<Context, 'emit'>;
  /** Absent: every change is allowed. */
  readonly approval?: Approval | undefined;
}

/** Whether an action may be carried out: called before every one. Logs one that is refused. Rejects if the approval does. */
export async function mayChange({ context, approval }: Approved, action: Action): Promise<boolean> {
  if (approval === undefined || (await approval.allows(action))) return true;
  if (approval.isSilent === true) return false;
  const { words, about, to = about, size } = shownAction(action);
  const shown = to === about ? words : `${words} to ${to}`;
  const fields = { action: shown, flag: approval.flag, size };
  context.emit({ type: 'log', level: 'notice', path: about, code: 'skipped', fields });
  return false;
}

/** What a path had when an action was decided about; absent: no file that the filter includes. */
export interface SeenPath {
  readonly remote: Remote;
  readonly path: string;
  readonly listed?: FileEntry | undefined;
}

/** A transfer that the approval has refused counts as `pretendTransfer` says; with `--dry-run` a copy is a file transferred. */
export function leaveTransfer(
  run: Approved & { readonly ids: { last: number }; readonly transferred: { files: number } },
  verb: 'copy' | 'sync' | 'move',
  action: 'copy' | 'move',
  file: FileEntry,
): false {
  pretendTransfer(run, action, file);
  if (verb !== 'move' && run.approval?.pretends === true) run.transferred.files++;
  return false;
}

/** Counts a refused transfer as done if the approval pretends; else no longer as waiting. */
export function pretendTransfer(
  { context, approval, ids }: Approved & { readonly ids: { last: number } },
  action: 'copy' | 'move' | 'rename',
  { path, size: told }: FileEntry,
): void {
  const size = Math.max(0, told);
  const { emit } = context;
  if (approval?.pretends !== true) {
    emit({ type: 'transfer-queued', files: -1, bytes: -size });
    return;
  }
  const id = ++ids.last;
  // rclone counts the bytes of a rename, too, and it as a check.
  const kind = action === 'rename' ? 'check' : 'copy';
  emit({ type: 'transfer-start', id, kind, path, size });
  emit({ type: 'transfer-bytes', id, bytes: size });
  emit({ type: 'transfer-end', id });
  if (action === 'rename') emit({ type: 'checked', files: 1 });
  if (action !== 'copy') emit({ type: 'renamed', files: 1 });
}
