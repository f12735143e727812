import type { FileEntry, Op } from '../../core/remote.ts';
import type { WritePosition } from '../mount-ops.ts';

/**
 * Where a cached file is on its way to the remote. open-files.md says what is on the disk in each state, and what
 * a crash leaves.
 *
 *             write         close, fsync       last writer closes       its turn
 *     clean ────────▶ dirty ────────▶ committed ────────▶ queued ────────▶ uploading ────▶ clean
 *                       ▲                  │                │ ▲               │  │   uploaded
 *                       ├───── write ──────┘                │ └──── failed ───┘  │ write, rename
 *                       ├───── write ───────────────────────┘                    ▼
 *                       └───── the upload ended ─────────────────────────── superseded
 *
 * `superseded`: the upload that still runs is of an older version.
 */
export type FileState = 'clean' | 'dirty' | 'committed' | 'queued' | 'uploading' | 'superseded';

/**
 * The bytes of the files of a mount: on the remote, in the disk cache, or waiting for their upload. Uses paths, not
 * inodes or directories.
 */
export interface FileContents {
  /**
   * Opens the file at `path`. `entry` is the object on the remote, `undefined` for a new file. Rejects with
   * `read-only`, `unsupported` (the cache mode cannot write that way) or the error of the remote.
   */
  open(
    path: string,
    entry: FileEntry | undefined,
    access: ContentAccess,
    op: Op,
  ): Promise<FileHandle>;
  /** A file whose newest content is not on the remote yet: it overrides a listing. */
  pending(path: string): PendingFile | undefined;
  /** All such files directly in `dir`, including those that the remote lacks. */
  pendingIn(dir: string): Iterable<PendingFile>;
  /** All such files at any depth below `dir`. */
  pendingBelow(dir: string): Iterable<PendingFile>;
  /**
   * Called before names at `path` or below change on the remote. Uploads there end or are cancelled, and none starts
   * until the returned function is called; what they left on the remote is checked, and reported as an upload. Then
   * the caller changes the remote, calls `renamed`, `dirRenamed` or `removed`, and the returned function; if the
   * remote failed, only the last. Does not wait for a file that is being streamed.
   */
  hold(path: string, op: Op): Promise<() => void>;
  /** Sets the time of a file that is open or pending; `false` if it is neither (the caller changes the remote). */
  setModTime(path: string, modTime: bigint): Promise<boolean>;
  /** Changes the size of a file, whether it is open or not. */
  truncate(path: string, entry: FileEntry | undefined, size: number, op: Op): Promise<void>;
  /**
   * The name has changed on the mount: open files, cached bytes and pending uploads follow. A file at `to` is
   * replaced, as by `removed`, in the same step. Returns `true` if the remote had nothing under the old name.
   *
   * @param onRemote the remote's object under the new name; `moved` by default
   */
  renamed(from: string, to: string, onRemote?: OnRemote): Promise<boolean>;
  /**
   * Whether the newest version of the file at `path` is local and waits for its upload, so that the remote's older
   * one is not needed. If so, downloads its missing bytes, and resolves when it is safe.
   */
  bringHere(path: string, op: Op): Promise<boolean>;
  /** A whole directory was renamed. */
  dirRenamed(from: string, to: string): Promise<void>;
  /**
   * The name was deleted on the mount, with its upload and its cached bytes. Open files work without a name. Returns
   * `true` if the remote has nothing under the name.
   */
  removed(path: string): Promise<boolean>;
  /** The remote has another version now: cached bytes of the old one are not used any more. */
  changed(path: string, entry: FileEntry | undefined): void;
  /** Uploads waiting or running, and the bytes in the cache. */
  state(): ContentsState;
  /** Called with the remote's entry after an upload; `undefined` if the upload was aborted for good. */
  onUploaded(listener: (path: string, entry: FileEntry) => void): void;
  /**
   * Resolves when nothing is pending; rejects with the signal's reason. What is then still pending is in the journal.
   */
  drain(op: Op): Promise<void>;
  /**
   * As `drain`, at the end of the mount. The kernel does not report the last closes then: a file that was flushed
   * since its last change counts as closed. Other changes are left to the next mount.
   */
  finish(op: Op): Promise<void>;
  /** Afterwards `state` counts what was left. */
  close(): Promise<void>;
}

/** The remote's object under the new name of a file: the moved file, or else what its upload replaces, if anything. */
export type OnRemote = 'moved' | { readonly entry: FileEntry | undefined };

/** How the content is used. */
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
