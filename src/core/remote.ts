import type { Readable } from 'node:stream';
import type { Hashes, HashName } from './hash-names.ts';
import type { KeepMetadata, Metadata } from './metadata.ts';
import type { ModTime } from './mod-time.ts';
import type { Place } from './place.ts';

/** A file as a listing tells it. Entries are values: nothing in them changes. */
export interface FileEntry {
  readonly kind: 'file';
  /** Relative to the remote's root. */
  readonly path: string;
  /** In bytes; -1 where the store does not know it. */
  readonly size: number;
  /** Absent where the listing does not tell it: `can.readDetails` fetches it. */
  readonly modTime?: ModTime;
  /** When the store itself last wrote the file (S3 LastModified), where that is not `modTime`. */
  readonly storedTime?: ModTime;
  /** When the store told this, by its own clock; absent where it does not say, as in listings. */
  readonly toldAt?: ModTime;
  /** The hashes the listing told; more may be had by `can.hash`. */
  readonly hashes?: Hashes;
  readonly partsMd5?: PartsMd5;
  /** Changes whenever content or metadata change. */
  readonly etag?: string;
  readonly mimeType?: string;
  /** The store's own identifier, where it is not the path. */
  readonly id?: string;
  /** Storage class or tier. */
  readonly tier?: string;
  readonly metadata?: Metadata;
  /** The store changes files of this kind by itself: size and hashes may not be those of what was written. */
  readonly isRewritten?: boolean;
  /** The store's name of this version of the file, where it keeps several and has told it. */
  readonly version?: string;
  /** What a write left that went wrong: it counts as another file than any, whatever its size and time. */
  readonly isWrong?: true;
}

/** By what an upload in parts can be verified in parts, in whatever order: the MD5 of the MD5s of all parts. */
export interface PartsMd5 {
  /** How long each part is but the last, in bytes. Guessed: only a digest that fits proves anything. */
  readonly partLength: number;
  /** In hexadecimal. */
  readonly digest: string;
}

/** A directory, bucket or prefix as a listing tells it. */
export interface DirEntry {
  readonly kind: 'dir';
  readonly path: string;
  readonly modTime?: ModTime;
  readonly id?: string;
  /** A bucket of an object store. */
  readonly isBucket?: boolean;
  /** How many entries it holds; absent where the listing does not tell it. */
  readonly entries?: number;
}

/** What a directory holds. */
export type Entry = FileEntry | DirEntry;

/** An entry of a listing that could not be looked at, and why. */
export interface FailedEntry {
  readonly path: string;
  /** `dir`: what is unknown is all below the path. */
  readonly kind?: 'dir';
  readonly error: Error;
}

/** One page of a listing. */
export interface Page {
  readonly entries: readonly Entry[];
  /**
   * Entries that could not be examined (dangling links). They count as errors: nothing may be deleted because of this
   * listing.
   */
  readonly failed?: readonly FailedEntry[];
  /** Passed to the next call; absent on the last page. */
  readonly cursor?: string;
}

/** A part of a file: `length` bytes from `offset`, to the end where `length` is absent. */
export interface ReadRange {
  readonly offset: number;
  readonly length?: number;
}

/** The content of a file: small ones may come whole, others as a stream of Buffers. */
export type Body = Buffer | Readable;

/** The content of a file together with what the store knows of it. */
export interface DetailedBody {
  readonly file: FileEntry;
  readonly body: Body;
}

/** What every call gets from its caller. */
export interface Op {
  /** Aborting it ends the call, which then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/** When a file is written from several ranges at once, and from how many. */
export interface WriteRanges {
  /** In bytes. */
  readonly from: number;
  readonly count: number;
}

/** A file to be written. */
export interface WriteSource {
  /** Where to, relative to the root of the remote that is written. */
  readonly path: string;
  /** In bytes; `undefined` where it is not known before the end of the body. */
  readonly size: number | undefined;
  readonly modTime?: ModTime;
  readonly mimeType?: string;
  /**
   * `mtime` in it only says that the time is kept: `modTime` has it. If some of it cannot be set, `write` rejects
   * with `metadata`, and the file is there with the rest.
   */
  readonly metadata?: Metadata;
  /**
   * Hashes the content must have. `write` verifies those it can compute and rejects with `corrupted`, with the old
   * file in place.
   */
  readonly hashes?: Hashes;
  /** Proves the content as `hashes` do where it fits, and in less time; where it does not fit, they decide. */
  readonly partsMd5?: PartsMd5;
  /** A hash of the content, by reading it again; absent if that costs a transfer. `undefined` if it is not available. */
  readonly hash?: (name: HashName, op: Op) => Promise<string | undefined>;
  /** From which size on a disk asks for ranges of it at once, and how many; the disk's own rule where absent. */
  readonly ranges?: WriteRanges;
  /** `open` takes ranges and may be called several times at once. Otherwise once, without a range. */
  readonly seekable: boolean;
  open(range: ReadRange | undefined, op: Op): Promise<Body>;
}

/** What happened on a store since some moment, by whomever. */
export interface Changes {
  /** Passed to the next call. */
  readonly token: string;
  /** What is new, another or gone; absent where anything may be. */
  readonly items?: readonly ChangedItem[];
}

/** A file or a directory that is new, another or gone. */
export interface ChangedItem {
  /** As in `Entry.id`. */
  readonly id: string;
  /** The directory it is in, by the same; `''` for the root of the remote, absent where that is not told. */
  readonly parentId?: string;
}

/** Space of a store, in bytes. */
export interface About {
  readonly total?: number;
  readonly used?: number;
  readonly free?: number;
  readonly trashed?: number;
  readonly objects?: number;
}

/** What a store is like: data, so that the engine never asks for a backend's name. */
export interface Traits {
  /** Hashes the store can give, best first. */
  readonly hashes: readonly HashName[];
  /** Hashes whose reading means reading the whole file (local disk). */
  readonly slowHash: boolean;
  /** The coarsest difference of modification times it keeps, in nanoseconds; `undefined`: keeps none. */
  readonly modTimePrecision: bigint | undefined;
  /** Listings come without modification times: each costs a request. */
  readonly slowModTime: boolean;
  /** Names that differ only in case are one name. */
  readonly caseInsensitive: boolean;
  /** Empty directories can exist. */
  readonly emptyDirs: boolean;
  /** Pages of `listPage` come in the order of `compareEntries`. */
  readonly sortedPages: boolean;
  /** The first path segment below the store's root is a bucket. */
  readonly bucketBased: boolean;
  /** Calls take no network: many small ones at once bring nothing. */
  readonly onDisk: boolean;
  /** What it holds lives as long as the process: nothing is there that this run has not put there, not even a directory. */
  readonly inProcess?: boolean;
  /** What the names of symbolic links end in that are shown as files; without it, they are what stands on the disk. */
  readonly linkSuffix?: string;
}

/** What only some backends can do. An absent member means unsupported; nothing throws `unsupported` instead. */
export interface Capabilities {
  /** Tells whether two names mean one item. Without it, those of the configuration have to do. */
  readonly place?: Place;
  /** The entry with its modification time, hashes, MIME type and metadata as far as the store keeps them. */
  readonly readDetails?: (file: FileEntry, op: Op) => Promise<FileEntry>;
  /** As `readDetails`, with hashes that the server reports only before a read; some can be computed of parts in any order. */
  readonly readDetailsWithChecksums?: (file: FileEntry, op: Op) => Promise<FileEntry>;
  /** `read` of the whole file and `readDetails` in one request, for backends with `slowModTime`. */
  readonly readWithDetails?: (file: FileEntry, op: Op) => Promise<DetailedBody>;
  /** A hash of a file; `undefined` where the store has none of this kind for this file. */
  readonly hash?: (file: FileEntry, name: HashName, op: Op) => Promise<string | undefined>;
  readonly setModTime?: (file: FileEntry, modTime: ModTime, op: Op) => Promise<FileEntry>;
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
  /** As `copyFrom`, and the source is gone afterwards. */
  readonly moveFrom?: (
    from: Remote,
    file: FileEntry,
    path: string,
    op: Op,
    keep?: KeepMetadata,
  ) => Promise<FileEntry | undefined>;
  /** Renames a whole directory of `from` to `path`, which must not exist. `false` where these two cannot. */
  readonly moveDirFrom?: (from: Remote, dir: string, path: string, op: Op) => Promise<boolean>;
  /** Deletes a directory and all below it. Rejects with `directory-not-found` where it does not exist. */
  readonly purge?: (dir: string, op: Op) => Promise<void>;
  /**
   * Deletes a directory, those below it, and what listings omit: markers of directories, links that are not followed.
   * Rejects with `not-empty` if there are files, which stay; with `directory-not-found` where nothing was left.
   */
  readonly purgeUnlisted?: (dir: string, op: Op) => Promise<void>;
  /** As `delete`, if the file is still the one of `file`; else rejects with `source-changed`. */
  readonly deleteUnchanged?: (file: FileEntry, op: Op) => Promise<void>;
  /**
   * Deletes what was just written and proved wrong (`SyncerError.wrong`, or the result of `write`), or restores what
   * it replaced, if it is still that: written at `since`, by the server's clock, or later. Leaves anything else.
   * Rejects if that is unknown or it cannot be deleted.
   */
  readonly takeBack?: (file: FileEntry, since: ModTime | undefined, op: Op) => Promise<void>;
  /** What is in the place of a file although listings omit it, in words: a symbolic link that is not followed. */
  readonly unlistedAt?: (path: string, op: Op) => Promise<string | undefined>;
  /** Deletes many files in few requests; gives each failure with its file. At most `maxDeleteMany` at once. */
  readonly deleteMany?: (
    files: readonly FileEntry[],
    op: Op,
  ) => Promise<ReadonlyMap<FileEntry, Error>>;
  /** A page of all files below `dir` at any depth, sorted by whole path; directories are not told. */
  readonly listTreePage?: (dir: string, cursor: string | undefined, op: Op) => Promise<Page>;
  /**
   * As `listTreePage`, in any order and sooner, with up to `atOnce` parallel requests. For what is only counted or
   * deleted.
   */
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
  /**
   * What changed since the call that returned `token`; without one, only the token for the next call. Far cheaper
   * than a listing.
   */
  readonly changes?: (token: string | undefined, op: Op) => Promise<Changes>;
  readonly about?: (op: Op) => Promise<About>;
  /**
   * A URL with which anyone can read the entry, for `expireMs` milliseconds if that can be limited; `undefined`: as
   * long as possible. Rejects for a directory if only files can be shared.
   */
  readonly publicLink?: (entry: Entry, expireMs: number | undefined, op: Op) => Promise<string>;
  /** Withdraws all that `publicLink` gave for the entry. Absent where links only end by themselves. */
  readonly deleteLink?: (entry: Entry, op: Op) => Promise<void>;
  /** Moves a file to another storage class or tier, by the store's own name for it in any case. */
  readonly setTier?: (file: FileEntry, tier: string, op: Op) => Promise<void>;
  /** Removes what broken runs left (unfinished multipart uploads) that is older than `maxAgeMs`. */
  readonly cleanUp?: (maxAgeMs: number, op: Op) => Promise<void>;
  /** Gives up the login: revokes it at the provider where that is possible, and forgets it. */
  readonly disconnect?: (op: Op) => Promise<void>;
  /** Who is logged in, as pairs to show. */
  readonly userInfo?: (op: Op) => Promise<Readonly<Record<string, string>>>;
}

/** How many files `Capabilities.deleteMany` takes in one call (S3's DeleteObjects limit). */
export const maxDeleteMany = 1000;

/**
 * One backend opened at one root; all paths are relative to it. Every method rejects with a `SyncerError` and nothing
 * else.
 */
export interface Remote {
  /** Name in the configuration; `''` for a local path. */
  readonly name: string;
  /** Path of the root inside the store. */
  readonly root: string;
  /**
   * Identifies what the remote is a part of, in every run: equal paths below its root are the same file. No secret.
   * Absent if unknown.
   */
  readonly storeId?: string;
  /** For messages: `S3 bucket photos path 2024`, `Local file system at /home/a`. */
  readonly title: string;
  readonly traits: Traits;
  readonly can: Capabilities;

  /** Whether nothing can ever be stored at `path`, as it is too long. Absent where the store has no such limit. */
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
  /** Deletes a file; a missing one rejects with `file-not-found`, except on stores that cannot tell (S3). */
  delete(file: FileEntry, op: Op): Promise<void>;
  /** Makes a directory with its parents; an existing one is fine. On an object store: makes the bucket. */
  makeDir(dir: string, op: Op): Promise<void>;
  /** Deletes an empty directory; `not-empty` where it is not, `directory-not-found` where it is missing. */
  deleteDir(dir: string, op: Op): Promise<void>;
  /** Closes connections and files. */
  close(): Promise<void>;
}
