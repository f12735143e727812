import type { FileEntry, Remote } from '../core/remote.ts';
import type { FilePair, Transfer } from './action.ts';

/** A path of a remote. */
export interface Spot {
  readonly remote: Remote;
  readonly path: string;
}

/**
 * One optional capability of a run, which is absent where its flag is. It enters the way of a transfer from the listing
 * to its end at these points, and knows no other pass.
 */
export interface Pass {
  /** Sees the files of both sides as they are listed. */
  readonly listed?: (pairs: readonly FilePair[]) => void;
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
  readonly keep?: (transfer: Transfer, replaced: FileEntry) => Promise<Spot>;
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
