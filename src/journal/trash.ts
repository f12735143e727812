import type { FileEntry, Op } from '../core/remote.ts';
import type { KeptFile } from './journal-line.ts';

/** Keeps deleted and replaced files of one remote (`--trash`). */
export interface Trash {
  /** Where a file will be; `undefined` if its server keeps it. */
  placeFor(file: FileEntry, op: Op): Promise<Extract<KeptFile, { in: 'trash' }> | undefined>;
  /** Keeps a file that is about to be replaced, which stays in place. Rejects if it cannot. */
  keepCopy(file: FileEntry, path: string, op: Op): Promise<void>;
  /** Moves a file into the trash. Rejects if it cannot; the file then stays. */
  moveIn(file: FileEntry, path: string, op: Op): Promise<void>;
  /** Moves files into the trash; returns each failure with its file. */
  moveMany(
    files: readonly { readonly file: FileEntry; readonly path: string }[],
    op: Op,
  ): Promise<ReadonlyMap<FileEntry, Error>>;
}
