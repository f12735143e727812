import type { Spot } from '../core/change-details.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { FilePair, Fixer, Transfer } from './action.ts';
import type { Run } from './run.ts';

/**
 * The reason of a transfer: a file on both sides of two trees, one that differs and must not be replaced, one that only
 * the tree of the source has, or one that the user named.
 */
export type TransferOf = 'pair' | 'refused' | 'new' | 'named';

/**
 * One optional capability of a run, which is absent where its flag is. It enters the way of a transfer from the listing
 * to its end at these points, and knows no other pass.
 */
export interface Pass {
  /** Sees the files of both sides as they are listed. */
  readonly listed?: (pairs: readonly FilePair[]) => void;
  /**
   * Gives files and directories of the destination their names of the source before they are decided about.
   *
   * @param onChange gets the parent of each renamed entry
   */
  readonly fixer?: (onChange: (dir: string) => void) => Fixer;
  /**
   * What is left to do of a transfer that was decided; `undefined`: nothing. Never rejects.
   *
   * @param run ends also when the user stops it
   */
  readonly prepare?: (
    transfer: Transfer,
    of: TransferOf,
    run: Run,
  ) => Promise<Transfer | undefined>;
  /** Whether the transfer waits until `release`. */
  readonly hold?: (transfer: Transfer) => boolean;
  /** All has been listed: the transfers that wait. */
  readonly release?: () => readonly Transfer[];
  /**
   * Whether the transfer may begin, asked just before; `false`: it is left, and the pass has logged why. Rejects with
   * the error of the transfer.
   */
  readonly admit?: (transfer: Transfer) => boolean | Promise<boolean>;
  /** Keeps the file that is about to be replaced. Resolves to where. */
  readonly keep?: (transfer: Transfer, replaced: FileEntry) => Promise<Spot<Remote>>;
  /** The transfer to make instead of one whose copy failed. */
  readonly instead?: (transfer: Transfer, error: unknown) => Transfer | undefined;
  /** Whether the pass takes over a transfer that failed: it is no error then. */
  readonly takes?: (transfer: Transfer, error: unknown) => boolean;
  /**
   * The files to delete of those that only the destination has, in rounds: those of one round are gone before the next
   * one begins.
   */
  readonly rounds?: (extra: readonly FileEntry[]) => readonly (readonly FileEntry[])[];
  /** Rejects or throws if a file of the destination must not be deleted; asked just before. */
  readonly mayDelete?: (file: FileEntry) => Promise<void> | void;
  /** Takes a file of the destination away instead of deleting it. */
  readonly takeAway?: (file: FileEntry) => Promise<void>;
  /** The file is in its place, and what it replaced is gone. Rejects with the error of the transfer. */
  readonly done?: (transfer: Transfer) => Promise<void> | undefined;
}
