import type { FileEntry, Op } from '../../core/remote.ts';
import type { WritePosition } from '../mount-ops.ts';

/**
 * Where a cached file is on its way to the remote. docs/open-files.md says what is on the disk in each state, and what
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
 * The bytes of the files of a mount: on the remote, in the disk cache, or waiting for their upload. Deals in paths,
 * not in inodes or directories.
 */
export interface FileContents {
  /**
   * Opens the file at `path`. `entry` is the object on the remote, `undefined` for a new file. Rejects with
   * `read-only`, `unsupported` (the cache mode cannot write that way) or what the remote says.
   */
  open(
    path: string,
    entry: FileEntry | undefined,
    access: ContentAccess,
    op: Op,
  ): Promise<FileHandle>;
  /** A file whose newest content is not on the remote yet: it overrides a listing. */
  pending(path: string): PendingFile | undefined;
  /** All such files directly in `dir`, those that the remote does not have included. */
  pendingIn(dir: string): Iterable<PendingFile>;
  /** All such files at any depth below `dir`. */
  pendingBelow(dir: string): Iterable<PendingFile>;
  /**
   * Called before names at `path` or below change on the remote. Uploads there end or are cancelled, and none starts
   * until the returned function is called; what they left on the remote is found out, and reported as an upload. Then
   * the caller changes the remote, calls `renamed`, `dirRenamed` or `removed`, and the returned function; if the
   * remote failed, that alone. A file that is being streamed is not waited for.
   */
  hold(path: string, op: Op): Promise<() => void>;
  /** Sets the time of a file that is open or waits; `false` where it does neither (the caller asks the remote). */
  setModTime(path: string, modTime: bigint): Promise<boolean>;
  /** Changes the size of a file that is not open. */
  truncate(path: string, entry: FileEntry | undefined, size: number, op: Op): Promise<void>;
  /**
   * The name has changed on the mount: open files, cached bytes and pending uploads follow. A file at `to` is
   * replaced, as by `removed`, in the same step. Returns `true` where the remote had nothing under the old name.
   *
   * @param onRemote what the remote has under the new name; `moved` by default
   */
  renamed(from: string, to: string, onRemote?: OnRemote): Promise<boolean>;
  /**
   * Whether the newest version of the file at `path` is here and waits for its upload, so that the remote's older one
   * is not needed. If so, downloads what is missing of it, and resolves when it is safe.
   */
  bringHere(path: string, op: Op): Promise<boolean>;
  /** A whole directory has a new name. */
  dirRenamed(from: string, to: string): Promise<void>;
  /**
   * The name is gone from the mount, with its upload and its cached bytes. Open files work without a name. Returns
   * `true` where the remote has nothing under the name.
   */
  removed(path: string): Promise<boolean>;
  /** The remote has another version now: cached bytes of the old one are not used any more. */
  changed(path: string, entry: FileEntry | undefined): void;
  /** Uploads waiting or running, and the bytes in the cache. */
  state(): ContentsState;
  /** Called with what the remote has after an upload; `undefined` where it has given up. */
  onUploaded(listener: (path: string, entry: FileEntry) => void): void;
  /** Resolves when nothing waits any more; rejects with the signal's reason. What then still waits is in the journal. */
  drain(op: Op): Promise<void>;
  /**
   * As `drain`, at the end of the mount. The kernel does not report the last closes then: a file that was flushed
   * since its last change counts as closed. Other changes are left to the next mount.
   */
  finish(op: Op): Promise<void>;
  /** Afterwards `state` counts what was left. */
  close(): Promise<void>;
}

/**
 * What the remote has under the new name of a file: the moved file, or else what its upload replaces, if anything.
 */
export type OnRemote = 'moved' | { readonly entry: FileEntry | undefined };

/** How the content is used. */
export interface ContentAccess {
  readonly read: boolean;
  readonly write: boolean;
  readonly truncate: boolean;
}

/** A file as one open(2) has it. The handles of one file share its content. */
export interface FileHandle {
  readonly canWrite: boolean;
  /** In bytes; -1 where it is known only at the end. */
  size(): number;
  /** Nanoseconds since the epoch. */
  modTime(): bigint;
  /** At most `length` bytes; fewer only at the end. */
  read(offset: number, length: number, op: Op): Promise<Uint8Array>;
  write(at: WritePosition, data: Uint8Array, op: Op): Promise<void>;
  truncate(size: number, op: Op): Promise<void>;
  setModTime(modTime: bigint): void;
  /** A descriptor was closed: what must reach the remote or the journal before close(2) returns does so here. */
  flush(op: Op): Promise<void>;
  /** fsync(2): the bytes are safe on disk or on the remote. */
  sync(op: Op): Promise<void>;
  release(op: Op): Promise<void>;
}

/** A file whose newest content is here. */
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
  /** Bytes of the cache on disk. */
  readonly cachedBytes: number;
  readonly cachedFiles: number;
}
