import type { Readable } from 'node:stream';
import type { ChangeDetails, Deletion, FailedWrite, Restoring } from './change-details.ts';
import type { Changes, Watching, WatchPlan } from './changes.ts';
import type { PiecesOf, SourcePieces, UnchangedBytes } from './content-pieces.ts';
import type {
  About,
  ContentStamp,
  DiskUsage,
  KeepMetadata,
  Kept,
  Metadata,
  PartsMd5,
  UsageRows,
  WriteRanges,
} from './entry-details.ts';
import type { Inspection } from './finding.ts';
import type { Hashes, HashName } from './hash-names.ts';
import type { ModTime } from './mod-time.ts';
import type { Place } from './place.ts';
import type { Doing } from './reason.ts';
import type { Naming } from './remote-path.ts';
import type { Traits } from './traits.ts';

/** A file of a listing. Entries are values: nothing in them changes. */
export interface FileEntry {
  readonly kind: 'file';
  /** Relative to the remote's root. */
  readonly path: string;
  /** In bytes; -1 if unknown. */
  readonly size: number;
  /** Absent if the listing lacks it: `can.details` requests it. */
  readonly modTime?: ModTime;
  /** When the server itself last wrote the file (S3 LastModified), if that is not `modTime`. */
  readonly storedTime?: ModTime;
  /** The time of the response, by the server's own clock; absent if unknown, as in listings. */
  readonly toldAt?: ModTime;
  /** The hashes in the listing; `can.hash` may return more. */
  readonly hashes?: Hashes;
  readonly partsMd5?: PartsMd5;
  /** Changes whenever content or metadata change. */
  readonly etag?: string;
  /** Changes with the content only. */
  readonly contentTag?: string;
  readonly mimeType?: string;
  /** The server's own identifier, if it is not the path. */
  readonly id?: string;
  /** The path in the letters of the server, if `path` is one that was asked for in others. */
  readonly storedPath?: string;
  /** Storage class or tier. */
  readonly tier?: string;
  readonly metadata?: Metadata;
  /** The server changes such files by itself: size and hashes may not be those of what was written. */
  readonly isRewritten?: boolean;
  /** The server's name of this version of the file, if it keeps several and reports it. */
  readonly version?: string;
  /** Told by `can.listUsage` only. */
  readonly usage?: DiskUsage;
  /** Told by `can.listKept` only. */
  readonly kept?: Kept;
  /** Of a written file: how many bytes of it were sent, if the store has copied the others from an object it had. */
  readonly sent?: number;
  /** The result of a failed write: it equals no other file, whatever its size and time. */
  readonly isWrong?: true;
}

/** A directory, bucket or prefix of a listing. */
export interface DirEntry {
  readonly kind: 'dir';
  readonly path: string;
  readonly modTime?: ModTime;
  readonly id?: string;
  /** A bucket of an object store. */
  readonly isBucket?: boolean;
  /** A shortcut to a directory elsewhere, whose files belong to others: see `deleteShortcut`. */
  readonly isShortcut?: boolean;
  /** What the file system says of the directory itself, in bytes; only on disks. */
  readonly size?: number;
  /** The number of its entries; absent if the listing lacks it. */
  readonly entries?: number;
  /** Told by `can.listUsage` only. */
  readonly usage?: DiskUsage;
  /** Requested by `can.readDirMetadata`. */
  readonly metadata?: Metadata;
}

export type Entry = FileEntry | DirEntry;

/** An entry of a listing that could not be read, and why. */
export interface FailedEntry {
  readonly path: string;
  /** `dir`: everything below the path is unknown. */
  readonly kind?: 'dir';
  readonly error: Error;
}

/** One page of a listing. */
export interface Page {
  readonly entries: readonly Entry[];
  /** Entries that could not be examined (dangling links): errors, because of which nothing may be deleted. */
  readonly failed?: readonly FailedEntry[];
  /** Passed to the next call; absent on the last page. */
  readonly cursor?: string;
  /** What the directory itself takes; told by `can.listUsage` only. */
  readonly usage?: DiskUsage;
}

/** A part of a file: `length` bytes from `offset`, to the end without `length`. */
export interface ReadRange {
  readonly offset: number;
  readonly length?: number;
  /** It is joined with bytes that an earlier opening of the file has read. */
  readonly continues?: boolean;
  /** The store copies it from an object that it has: it is read only to prove the copy, and not sent. */
  readonly isCopied?: boolean;
  /** The destination has it from an earlier run: it is read only to be compared. */
  readonly isStored?: boolean;
}

/** The content of a file: whole if small, or a stream of Buffers. */
export type Body = Buffer | Readable;

/** The argument of every call. */
export interface Op {
  /** Aborting it ends the call, which then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** The memory that `write` may hold, in bytes; absent: as its options say. */
  readonly room?: number;
  /** Parallel requests with which `listTreePage` may list what follows a page; absent: one. */
  readonly atOnce?: number;
  /** Identifies a walk of many directories: `listPage` may list several of them with one request. */
  readonly walk?: object;
  /** Of a listed tree only paths and sizes are used: its files may lack everything else. */
  readonly sizesOnly?: boolean;
  /** Called while a file is read only for a hash of it, with how far that is, in bytes. */
  readonly onHashed?: (bytes: number) => void;
  /** Called while `copyFrom` copies a large file, with how many bytes more are copied. */
  readonly onCopied?: (bytes: number) => void;
  /** What the call replaces or leaves elsewhere, for the journal. */
  readonly change?: ChangeDetails<FileEntry, Remote> | undefined;
}

export interface WriteSource {
  /** The target, relative to the root of the written remote. */
  readonly path: string;
  /** In bytes; `undefined` if unknown before the end of the body. */
  readonly size: number | undefined;
  readonly modTime?: ModTime;
  readonly mimeType?: string;
  /** `mtime` in it only says that the time is kept: `modTime` has it. `write` rejects with `metadata` if it cannot set it. */
  readonly metadata?: Metadata;
  /** See `KeepMetadata.mayFail`. */
  readonly metadataMayFail?: true;
  /** If another file is there, `write` rejects with `precondition-failed`; see `writesIfUnchanged`. */
  readonly replaces?: FileEntry | 'nothing';
  /** Hashes the content must have. If one that `write` computes differs, it is `corrupted`, and the old file stays. */
  readonly hashes?: Hashes;
  /** Proves the content as `hashes` do if it matches, and in less time; otherwise they decide. */
  readonly partsMd5?: PartsMd5;
  /** A hash of the content, by reading it again; absent if that costs a transfer. `undefined` if it is not available. */
  readonly hash?: (name: HashName, op: Op) => Promise<string | undefined>;
  /** A range, read only for its checksums: not counted, not slowed down. Absent if that costs a transfer. */
  readonly peek?: (range: ReadRange, op: Op) => Promise<Body>;
  /** See `Capabilities.pieces`; absent likewise. */
  readonly pieces?: SourcePieces<Op>;
  /** Only if `Capabilities.keepsUnchanged` returns `true`. */
  readonly unchanged?: UnchangedBytes<FileEntry, Op>;
  /** What has been read so far is sent again from the beginning: it does not count. */
  readonly onRestart?: () => void;
  /** See `Capabilities.fetch`; counts the bytes. Absent if they must pass through syncer. */
  readonly fetch?: (native: string, op: Op) => Promise<boolean>;
  /** Identifies the file and its current content in every run. Absent if no later run can read it again. */
  readonly fingerprint?: () => string | undefined;
  /** From which size a disk requests ranges of it in parallel, and how many; the disk's own rule by default. */
  readonly ranges?: WriteRanges;
  /** `open` takes ranges and may be called several times in parallel. Otherwise once, without a range. */
  readonly seekable: boolean;
  open(range: ReadRange | undefined, op: Op): Promise<Body>;
}

/** What `Details.read` should request besides. */
export interface DetailsAsked {
  /** Hashes that the server reports only before a read; some can be computed of parts in any order. */
  readonly checksums?: boolean;
  /** Called with the body of the whole file, which the same request opens. */
  readonly onBody?: (body: Body) => void;
}

/** Requests what a listing lacks of a file. */
export interface Details {
  /** The entry with its modification time, hashes, MIME type and metadata as far as the server keeps them. */
  read(file: FileEntry, op: Op, asked?: DetailsAsked): Promise<FileEntry>;
  /** It heeds `DetailsAsked.checksums`. */
  readonly checksums?: true;
  /** It heeds `DetailsAsked.onBody`. */
  readonly body?: true;
}

/**
 * What only some backends can do. An absent member means unsupported; nothing throws `unsupported` instead. `members.ts`
 * has the kind of each.
 */
export interface Capabilities {
  /** Decides whether two names mean one item. Without it, the names in the configuration decide. */
  readonly place?: Place;
  /** How names are compared, if not everywhere as `Traits.caseInsensitive` says. */
  readonly naming?: Naming;
  readonly details?: Details;
  /** The stamp of a file: as it is now, or was when last read; `undefined` if changed. Absent: the tag of the entry is it. */
  readonly stamp?: (file: FileEntry, when?: 'now' | 'read') => ContentStamp | undefined;
  /**
   * The entry of a file whose listed size may be wrong: with size -1 if that is 0 but there is content, as in /proc.
   * Rejects with `source-changed` if it has more content than its size says. Absent: listed sizes are right.
   */
  readonly confirmSize?: (file: FileEntry, op: Op) => Promise<FileEntry>;
  /** Whether a disk keeps its callers waiting now, so that asking ahead pays. */
  readonly isSlow?: () => boolean;
  /** What `write` of a file holds in memory, in bytes: the least it needs, and the most it can use. */
  readonly writeMemory?: (source: WriteSource) => { readonly least: number; readonly most: number };
  /** Whether `write` of a source may leave unchanged bytes unread. Absent: it never does. */
  readonly keepsUnchanged?: (source: WriteSource) => boolean;
  /** `write` heeds `WriteSource.replaces`, or rejects with `unsupported` if the server cannot. */
  readonly writesIfUnchanged?: true;
  /**
   * Whether `write` of a file of this machine with `size` bytes over `old` may send less than that, because the server
   * copies what has not changed. Absent: it never does.
   */
  readonly mayCopyParts?: (old: FileEntry, size: number) => Promise<boolean>;
  readonly setModTime?: (file: FileEntry, modTime: ModTime, op: Op) => Promise<FileEntry>;
  /** Sets the time of a directory. Rejects with `directory-not-found` if it is missing. */
  readonly setDirModTime?: (dir: string, modTime: ModTime, op: Op) => Promise<void>;
  /** The metadata of a directory; `quietly`: without a log line if the disk has no extended attributes. */
  readonly readDirMetadata?: (dir: DirEntry, op: Op, quietly?: boolean) => Promise<Metadata>;
  /**
   * Sets the metadata of a directory, and its time, as `write` does for a file; `isRestored`: also what the options
   * leave out of copies. Rejects with `metadata` if some of it cannot be set, with `directory-not-found` if it is missing.
   */
  readonly setDirMetadata?: (
    dir: string,
    metadata: Metadata,
    modTime: ModTime,
    op: Op,
    isRestored?: boolean,
  ) => Promise<void>;
  /**
   * Copies a file of `from` to `path` without its bytes passing through syncer; `undefined` if these two remotes
   * cannot. Never leaves half a file. Metadata is copied, with what `keep` sets if the store is S3 or a disk; on a disk
   * only with `keep`, as `write` does with `WriteSource.metadata`.
   */
  readonly copyFrom?: (
    from: Remote,
    file: FileEntry,
    path: string,
    op: Op,
    keep?: KeepMetadata,
  ) => Promise<FileEntry | undefined>;
  /** Renames a file of `from` to `path`, as one step: it is never at both or at neither. Otherwise as `copyFrom`. */
  readonly moveFrom?: (
    from: Remote,
    file: FileEntry,
    path: string,
    op: Op,
    keep?: KeepMetadata,
  ) => Promise<FileEntry | undefined>;
  /** Renames a whole directory of `from` to `path`, which must not exist. `false` if these two cannot. */
  readonly moveDirFrom?: (from: Remote, dir: string, path: string, op: Op) => Promise<boolean>;
  /** Deletes a directory and everything below it. Rejects with `directory-not-found` if it does not exist. */
  readonly purge?: (dir: string, op: Op) => Promise<void>;
  /**
   * Deletes a directory, those below it, and what listings omit: markers of directories, links that are not followed.
   * Rejects with `not-empty` if there are files, which stay; with `directory-not-found` if nothing was left.
   */
  readonly purgeUnlisted?: (dir: string, op: Op) => Promise<void>;
  /** The directories in `dir` that listings omit as other file systems. Absent: listings omit none. */
  readonly foreignIn?: (dir: string, op: Op) => Promise<readonly string[]>;
  /**
   * Deletes a shortcut to a directory elsewhere, and nothing in that. Rejects with `directory-not-found` if it is
   * missing, with `not-empty` if it is a directory by now.
   */
  readonly deleteShortcut?: (dir: string, op: Op) => Promise<void>;
  /** How many files one call of `delete` deletes in fewer requests than one by one. */
  readonly deletesAtOnce?: number;
  /**
   * Deletes what was just written and proved wrong (`SyncerError.wrong`, or the result of `write`), or restores what
   * it replaced, if it is shown to be still that; see `FailedWrite`. Leaves anything else. Rejects if that is unknown or
   * it cannot be deleted.
   */
  readonly takeBack?: (file: FileEntry, failed: FailedWrite, op: Op) => Promise<void>;
  /** Restores what the server keeps of deleted and replaced files. */
  readonly restoring?: Restoring<FileEntry, Op>;
  /**
   * Writes the content of a file into an empty file of this machine, by the program of the remote, which proves it: in
   * less time than `read`; `false` if it cannot. `onCopied` is called.
   */
  readonly fetch?: (file: FileEntry, native: string, op: Op) => Promise<boolean>;
  /** Gives a file of `from` the second name `path`, which keeps its content without the first; `false` if it cannot. */
  readonly linkFrom?: (from: Remote, file: FileEntry, path: string, op: Op) => Promise<boolean>;
  /** The unlisted entry at a file's path, in words: a symbolic link that is not followed, a file of another file system. */
  readonly unlistedAt?: (path: string, op: Op) => Promise<string | undefined>;
  /** A page of all files below `dir` at any depth, by whole path, and the directories that have a marker before theirs. */
  readonly listTreePage?: (
    dir: string,
    cursor: string | undefined,
    op: Op,
    range?: NameRange,
  ) => Promise<Page>;
  /** As `listTreePage`, of files only, in any order and sooner, with up to `atOnce` parallel requests. */
  readonly listTreeUnordered?: (
    dir: string,
    atOnce: number,
    op: Op,
  ) => AsyncIterable<readonly Entry[]>;
  /**
   * All directories of the remote with their entries, each as one page, in far fewer requests than by `listPage`.
   * Others must be listed. `undefined` if this root cannot be listed so.
   */
  readonly listDirs?: (op: Op) => Promise<ReadonlyMap<string, Page> | undefined>;
  /** As `listPage`, with what entries take on the disk, and with the links and special files that it omits. */
  readonly listUsage?: (dir: string, cursor: string | undefined, op: Op) => Promise<Page>;
  /**
   * As `listUsage`, of a whole directory and without an object for each entry: calls `take` once. Resolves to whether
   * it did; a directory that it did not take has to be listed.
   */
  readonly takeUsage?: (dir: string, take: (rows: UsageRows) => void, op: Op) => Promise<boolean>;
  /** The changes since the call that returned `token`; without one, only the next token. Cheaper than a listing. */
  readonly changes?: (token: string | undefined, op: Op) => Promise<Changes>;
  /** Reports changes at once, until the signal is aborted. Resolves when everything is watched. */
  readonly watch?: (plan: WatchPlan, op: Op) => Promise<Watching>;
  readonly about?: (op: Op) => Promise<About>;
  /**
   * A URL with which anyone can read the entry, for `expireMs` milliseconds if that can be limited; `undefined`: as
   * long as possible. Rejects for a directory if only files can be shared.
   */
  readonly publicLink?: (entry: Entry, expireMs: number | undefined, op: Op) => Promise<string>;
  /** Deletes all links that `publicLink` created for the entry. Absent if links only expire. */
  readonly deleteLink?: (entry: Entry, op: Op) => Promise<void>;
  /** Moves a file to another storage class or tier, by the server's own name for it in any case. */
  readonly setTier?: (file: FileEntry, tier: string, op: Op) => Promise<void>;
  /** The commands that only this backend has, by name. */
  readonly commands?: Readonly<Record<string, BackendCommand>>;
  /** Deletes leftovers of interrupted runs (unfinished multipart uploads) that are older than `maxAgeMs`. */
  readonly cleanUp?: (maxAgeMs: number, op: Op) => Promise<void>;
  /** Logs out: revokes the login at the provider if possible, and deletes it. */
  readonly disconnect?: (op: Op) => Promise<void>;
  /** For `doctor`: where the service is, and what can be found out about it. */
  readonly inspection?: Inspection;
  /** The account of the login, as pairs to show. */
  readonly userInfo?: (op: Op) => Promise<Readonly<Record<string, string>>>;
  /**
   * Everything that takes space below `dir`, in any order, each with `kept`: also old versions, delete markers and
   * unfinished uploads. Rejects with `unsupported` if the server cannot list them.
   */
  readonly listKept?: (dir: string, op: Op) => AsyncIterable<readonly FileEntry[]>;
  /** Of these only the unfinished uploads of a file, or below a directory; `deleteKept` aborts them. */
  readonly listUploads?: (path: string, op: Op) => AsyncIterable<readonly FileEntry[]>;
  /**
   * Of these only the versions and delete markers of a file, or below a directory: those of one path together, the
   * newest first.
   */
  readonly listVersions?: (path: string, op: Op) => AsyncIterable<readonly FileEntry[]>;
  /** Makes an old version the content of its file again, with its metadata; the version stays. */
  readonly restoreKept?: (file: FileEntry, op: Op) => Promise<void>;
  /**
   * Deletes for good what `listKept` returned, and nothing else under these paths, in any order; returns each failure
   * with its file.
   */
  readonly deleteKept?: (
    files: readonly FileEntry[],
    op: Op,
  ) => Promise<ReadonlyMap<FileEntry, Error>>;
  /** A hash of a file; `undefined` if there is none of this type for this file. */
  readonly hash?: (file: FileEntry, name: HashName, op: Op) => Promise<string | undefined>;
  /** As `hash` for several hashes, by reading the file once. Absent if `hash` reads no content. */
  readonly hashes?: (file: FileEntry, names: readonly HashName[], op: Op) => Promise<Hashes>;
  /**
   * Hashes of many files in less time than one by one, each at the place of its file. It may leave out any, with
   * `undefined` or at the end of the list, for whatever reason: `hash` then gives the hash, or the error. Rejects only
   * if it is aborted.
   */
  readonly hashMany?: (
    files: readonly FileEntry[],
    name: HashName,
    op: Op,
  ) => Promise<readonly (string | undefined)[]>;
  /** By reading a file of this machine; absent where that costs a transfer. */
  readonly pieces?: PiecesOf<FileEntry, Op>;
  /**
   * Whether a hash that a listing has of a file may be none of its content, as far as is known now: the ETag of an object
   * that a key encrypts looks like an MD5, which only a response about the object shows. Equal hashes are in no doubt.
   */
  readonly hashesInDoubt?: (file: FileEntry) => boolean;
  /** The file with those hashes of its entry that count; asks the server if that is unknown. */
  readonly confirmHashes?: (file: FileEntry, op: Op) => FileEntry | Promise<FileEntry>;
  /** Takes hashes that a reading of the content gave; it began at `sinceMs`, by `Clock.now`. */
  readonly noteHashes?: (file: FileEntry, hashes: Hashes, sinceMs: number) => void;
}

/** The most files of one deletion (S3's DeleteObjects limit). */
export const mostDeleted = 1000;

/** One backend opened at one root; all paths are relative to it. Every method rejects with a `SyncerError` only. */
export interface Remote {
  /** Name in the configuration; `''` for a local path. */
  readonly name: string;
  /** Path of the root. */
  readonly root: string;
  /**
   * Identifies, in every run, the server and bucket or drive of the remote: equal paths below its root are the same
   * file. No secret. Absent if unknown.
   */
  readonly storeId?: string;
  /** For messages: `S3 bucket photos path 2024`, `Local file system at /home/a`. */
  readonly title: string;
  readonly traits: Traits;
  readonly can: Capabilities;
  /** The remote that a layer is around; absent on that of a backend. */
  readonly inside?: Remote;
  /** The names of the layers around that of the backend, from the inside out; absent if there is none. */
  readonly layers?: readonly string[];

  /** Whether a path is too long for the remote. Absent if it has no limit. */
  isTooLong?(path: string): boolean;
  /**
   * One page of a directory's entries. A call and not a generator, so that a failed call can be repeated. Rejects
   * with `directory-not-found` (on object stores only for a missing bucket).
   */
  listPage(dir: string, cursor: string | undefined, op: Op): Promise<Page>;
  /** The entry at `path`; a missing one is `undefined`. */
  stat(path: string, op: Op): Promise<Entry | undefined>;
  /** The content of a file or a range of it. Errors in mid-body come through the stream as `SyncerError`. */
  read(file: FileEntry, range: ReadRange | undefined, op: Op): Promise<Body>;
  /**
   * Writes a file whole: it appears under its name only when complete and verified, with its time. Creates missing
   * directories. Resolves to the entry, with the hashes known without another request.
   */
  write(source: WriteSource, op: Op): Promise<FileEntry>;
  /**
   * Deletes files, at most `can.deletesAtOnce`, or one; resolves to each failure with its file. A missing one is
   * `file-not-found`, except on servers that do not report it (S3). Rejects if what became of all of them is unknown.
   */
  delete(
    files: readonly FileEntry[],
    op: Op,
    how?: Deletion,
  ): Promise<ReadonlyMap<FileEntry, Error>>;
  /** Creates a directory with its parents; an existing one is fine. On object storage: creates the bucket. */
  makeDir(dir: string, op: Op): Promise<void>;
  /** Deletes an empty directory; `not-empty` if it is not, `directory-not-found` if it is missing. */
  deleteDir(dir: string, op: Op): Promise<void>;
  /** Closes connections and files. */
  close(): Promise<void>;
}

/**
 * A part of the names of a listing. Its bounds are texts in the server's own order of names, and need not be names. Its
 * pages have files with another place in that order than their path has in `failed`.
 */
export interface NameRange {
  /** It begins behind this text; absent: at the first name. */
  readonly after?: string | undefined;
  /** It ends with this text; absent: at the last name. Read after each response: it may come down during a listing. */
  readonly last?: string | undefined;
  /** Most entries of one page; absent: as usual. */
  readonly most?: number | undefined;
}

/** What a command of a backend is called with. */
export interface BackendCall {
  readonly args: readonly string[];
  /** The options of `-o name=value`; one without a value is `''`. */
  readonly options: ReadonlyMap<string, string>;
  readonly op: Op;
  /** The files of the path that belong to the run. */
  files(): AsyncIterable<readonly FileEntry[]>;
  /** Whether a change is made: `--dry-run` and `--interactive`. */
  mayChange(action: string, path: string, size?: number): Promise<boolean>;
  /**
   * Deletes a version or delete marker as `destroy` does, if it may: `--dry-run`, `--interactive`, `--max-delete`. An error
   * is counted, and the command goes on. Resolves to whether it is not in the way of what is below it: it is gone, or was
   * declined. Rejects if the run has ended.
   */
  lose(version: FileEntry, destroy: () => Promise<unknown>): Promise<boolean>;
  /** Counts and logs an error about one file; the command goes on. */
  fail(thrown: unknown, path: string, doing: Doing): void;
}

/** A command that only this backend has (`syncer backend`), as rclone has it. */
export interface BackendCommand {
  /** In one line, without a full stop. */
  readonly summary: string;
  /** Names of the arguments behind the path. */
  readonly usage?: string;
  /** Its options, and what each does. */
  readonly options?: Readonly<Record<string, string>>;
  /** The path may be a file; `files` then yields it. */
  readonly takesFile?: true;
  /** The result, to be printed as JSON; `undefined` if there is none. */
  run(call: BackendCall): Promise<unknown>;
}
