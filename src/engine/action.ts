import type { Reason } from '../core/reason.ts';
import type { FileEntry, Remote } from '../core/remote.ts';

/** A file on the destination's remote that equals the one to transfer. */
export interface CopyFrom {
  readonly remote: Remote;
  readonly file: FileEntry;
  /** It has the content and time of that file for sure. */
  readonly isKept: boolean;
  /** The source file is deleted after the copy. */
  readonly deletesSource: boolean;
}

/** A file that is copied or moved from the source to the destination. */
export interface Transfer {
  readonly do: 'copy' | 'move';
  /** As it was listed. */
  readonly source: FileEntry;
  /** Path at the destination. */
  readonly path: string;
  /** The file of the destination that it replaces, as it was listed; it may have another name. */
  readonly replaces?: FileEntry;
  /** Why it replaces the other one. */
  readonly reason?: Reason;
  /** A file to copy server-side instead of the source (`--copy-dest`). */
  readonly from?: CopyFrom;
}
