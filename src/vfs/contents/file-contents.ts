import type { FileEntry, Op } from '../../core/remote.ts';
import type { WritePosition } from '../mount-ops.ts';

/** The remote's object under the new name of a file: the moved file, or else what its upload replaces, if anything. */
export type OnRemote = 'moved' | { readonly entry: FileEntry | undefined };

export interface ContentAccess {
  readonly read: boolean;
  readonly write: boolean;
  readonly truncate: boolean;
}

/** A file opened with open(2). The handles of one file share its content. */
export interface FileHandle {
  readonly canWrite: boolean;
  /** In bytes; -1 until the end if unknown. */
  size(): number;
  /** Nanoseconds since the epoch. */
  modTime(): bigint;
  /** At most `length` bytes; fewer only at the end. */
  read(offset: number, length: number, op: Op): Promise<Uint8Array>;
  write(at: WritePosition, data: Uint8Array, op: Op): Promise<void>;
  truncate(size: number, op: Op): Promise<void>;
  setModTime(modTime: bigint): void;
  /** A descriptor was closed: completes what must reach the remote or the journal before close(2) returns. */
  flush(op: Op): Promise<void>;
  /** fsync(2): the bytes are safe on disk or on the remote. */
  sync(op: Op): Promise<void>;
  release(op: Op): Promise<void>;
}

/** A file whose newest content is local. */
export interface PendingFile {
  readonly path: string;
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly modTime: bigint;
}

/** Figures for `syncer mounts`. */
export interface ContentsState {
  readonly uploadsWaiting: number;
  readonly uploadsRunning: number;
  readonly uploadsFailed: number;
  /** Bytes not uploaded yet. */
  readonly pendingBytes: number;
  /** Bytes of the disk cache. */
  readonly cachedBytes: number;
  readonly cachedFiles: number;
}
