import type { Hashes } from '../core/hash-names.ts';

/** A remote file whose content is wrong and that was not deleted or restored when this was noted. */
export interface ProofNote {
  /** Its path below the root of the remote. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly etag?: string;
  readonly version?: string;
  /** The server's identifier of this file. */
  readonly id?: string;
  readonly hashes?: Hashes;
  /** The modification time sent with it, in nanoseconds since the epoch. */
  readonly modTime?: string;
  /** The earliest time it may have been written, by the server's clock, in milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** The time of the response that showed it, by the server's clock, in milliseconds since the epoch. */
  readonly untilMs?: number;
  /** When the server stored it, in nanoseconds since the epoch; absent if it was not looked up. */
  readonly storedTime?: string;
  /** It must not be deleted: it is the last copy of the file. */
  readonly isOnly?: true;
}
