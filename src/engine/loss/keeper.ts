import type { Spot } from '../../core/change-details.ts';
import { SyncerError } from '../../core/errors.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import type { Transfer } from '../action.ts';

/**
 * What keeps content that a run replaces or deletes. It is chosen once for each attempt, by `keeperOf`; a run without one
 * keeps nothing. Content of the source of a move is kept by its copy.
 */
export interface Keeper {
  /**
   * How the engine keeps it: `--backup-dir`, `--suffix`. Absent with `--trash`: there a layer around the remote does, for
   * all that any command deletes or replaces (`src/run/journal/trash.ts`), or the server itself.
   */
  readonly aside?: Aside;
}

/** Keeping files beside the tree that loses them. */
export interface Aside {
  /** Keeps a copy of a file that is about to be replaced. Resolves to where; rejects if it may not be replaced then. */
  copy(transfer: Transfer, replaced: FileEntry): Promise<Spot<Remote>>;
  /** Takes a file away instead of deleting it. Rejects if it cannot; the file then stays. */
  take(file: FileEntry): Promise<void>;
}

const TRASH: Keeper = {};

/** What keeps the content of the destination in an attempt; `undefined`: nothing does. */
export function keeperOf(
  passes: readonly { readonly aside?: Aside }[],
  { trash }: { readonly trash?: true },
): Keeper | undefined {
  const aside = passes.find(({ aside }) => aside !== undefined)?.aside;
  if (aside !== undefined) return { aside };
  return trash === true ? TRASH : undefined;
}

/** Rejects if something is at a path that no keeper can keep: a link that is not listed. */
export async function refuseUnlisted({ can }: Remote, path: string, op: Op): Promise<void> {
  const what = await can.unlistedAt?.(path, op);
  if (what !== undefined) throw unlistedError(path, what);
}

/** The error of a file whose path has an entry that no keeper can keep; `what` says which. */
export function unlistedError(path: string, what: string): SyncerError {
  const text = `${path}: ${what} of that name exists and would not be kept`;
  const advice = 'move it, or copy links with --links';
  return new SyncerError('not-a-file', text, { path, advice });
}
