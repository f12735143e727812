import type { Context } from '../core/context.ts';
import type { Entry, FileEntry, Remote } from '../core/remote.ts';
import { type Action, type Sides, shownAction } from './action.ts';

/** Which version of a file stays that both sides of a two-way sync changed. */
export type Keep = 'path1' | 'path2' | 'both';

/** What happens after a plan was shown: what was chosen is made, it is planned again, or the run ends. */
export type NextStep = Choosing | 'again' | 'end';

/**
 * Whether the changes of a run are made. A consent never becomes another one: a review has two, `collect` and then
 * `chosen` (`inReview`), and `--apply` of a saved plan only the second.
 */
export type Consent =
  /** All of them, unasked. */
  | { readonly how: 'all' }
  /** None (`--dry-run`). Each is logged, and counts as done, as in rclone: the statistics show what a run would do. */
  | { readonly how: 'pretend'; readonly onChange?: (action: Action) => void }
  /** Those that a person allows (`--interactive`). Rejects if the user cannot be asked: the change must then not be made. */
  | { readonly how: 'ask'; ask(action: Action): boolean | Promise<boolean> }
  /** None: they are recorded for a plan. */
  | { readonly how: 'collect'; readonly plan: Collecting }
  /** Exactly those that were chosen of a plan. */
  | { readonly how: 'chosen'; readonly plan: Choosing };

/** A plan that records the changes of a run. */
export interface Collecting {
  /** Records a change. `true` for one that only protects another: that is the one to record. */
  allows(action: Action): boolean;
  /** Nothing will be changed after the plan: it is printed, saved or looked at. */
  readonly isReadOnly: boolean;
  /**
   * The plan is made from two listings: a page of the destination, the first one empty.
   *
   * @param isAll all that is at the destination comes up
   */
  saw?(sides: Sides, page: readonly Entry[], isAll: boolean): void;
  /** All was listed; the changes follow. */
  listed?(): void;
  /**
   * All changes were recorded: shows them. Absent: the plan is only collected.
   *
   * @param mayRetry another attempt could plan more
   */
  readonly choose?: ((mayRetry: boolean) => Promise<NextStep>) | undefined;
  /** What `choose` has resolved to: it is made, and nothing is collected any more. */
  readonly chosen?: Choosing | undefined;
  /** Resolves as the chosen changes begin to be made; absent without `choose`. */
  readonly made?: Promise<void> | undefined;
  /** Whether the plan deletes that file already: the rest is planned as if it were gone. */
  isTaken?(path: string): boolean;
}

/** What was chosen of a plan. */
export interface Choosing {
  allows(action: Action): boolean | Promise<boolean>;
  /** This run has planned them, and they have waited since: what each is about is looked at once more. */
  readonly hasWaited: boolean;
  /** An action is left, as what it is about has changed since it was shown. */
  leave?(action: Action): void;
  /** What a person has chosen for a conflict; `undefined`: the rule of the command. */
  keep?(action: Action): Keep | undefined;
}

/** Every change is made. */
export const ALL: Consent = { how: 'all' };

/** `--dry-run`: no change is made. */
export const PRETEND: Consent = { how: 'pretend' };

/** The consent that applies now to a run that began with this one: what was chosen, once its plan was shown. */
export function consentNow(begun: Consent): Consent {
  const chosen = begun.how === 'collect' ? begun.plan.chosen : undefined;
  return chosen === undefined ? begun : { how: 'chosen', plan: chosen };
}

/** Whether changes may be made now: not with `--dry-run`, and not while a plan is made. */
export function changesNow({ how }: Consent): boolean {
  switch (how) {
    case 'all':
    case 'ask':
    case 'chosen':
      return true;
    case 'pretend':
    case 'collect':
      return false;
  }
}

/** Whether a person looks at all changes together: now, or has done so. */
export function isReviewed({ how }: Consent): boolean {
  switch (how) {
    case 'collect':
    case 'chosen':
      return true;
    case 'all':
    case 'pretend':
    case 'ask':
      return false;
  }
}

/** What `mayChange` needs of a run. */
export interface Consenting {
  readonly context: Pick<Context, 'emit'>;
  readonly consent: Consent;
}

/** Whether an action may be carried out: called before every one. Logs one that is refused. Rejects if the consent does. */
export async function mayChange(run: Consenting, action: Action): Promise<boolean> {
  const { consent } = run;
  switch (consent.how) {
    case 'all':
      return true;
    case 'pretend':
      consent.onChange?.(action);
      return skip(run, action, '--dry-run');
    case 'ask':
      return (await consent.ask(action)) || skip(run, action, '--interactive');
    case 'collect':
    case 'chosen':
      return consent.plan.allows(action);
  }
}

function skip({ context }: Consenting, action: Action, flag: '--dry-run' | '--interactive'): false {
  const { words, about, to = about, size, isAtMost } = shownAction(action);
  const shown = to === about ? words : `${words} to ${to}`;
  const fields = { action: shown, flag, size, isAtMost };
  context.emit({ type: 'log', level: 'notice', path: about, code: 'skipped', fields });
  return false;
}

/** What a path had when an action was decided about; absent: no file that the filter includes. */
export interface SeenPath {
  readonly remote: Remote;
  readonly path: string;
  readonly listed?: FileEntry | undefined;
}

/** A transfer that the consent has refused counts as `pretendTransfer` says; with `--dry-run` a copy is a file transferred. */
export function leaveTransfer(
  run: Consenting & { readonly ids: { last: number }; readonly transferred: { files: number } },
  verb: 'copy' | 'sync' | 'move',
  action: 'copy' | 'move',
  file: FileEntry,
): false {
  pretendTransfer(run, action, file);
  if (verb !== 'move' && run.consent.how === 'pretend') run.transferred.files++;
  return false;
}

/** Counts a refused transfer as done if the consent pretends; else no longer as waiting. */
export function pretendTransfer(
  { context, consent, ids }: Consenting & { readonly ids: { last: number } },
  action: 'copy' | 'move' | 'rename',
  { path, size: listed }: FileEntry,
): void {
  const size = Math.max(0, listed);
  const { emit } = context;
  if (consent.how !== 'pretend') {
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
