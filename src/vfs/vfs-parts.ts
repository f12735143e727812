import type { Clock } from '../core/context.ts';
import { SyncerError } from '../core/errors.ts';
import type { LogFields } from '../core/log-fields.ts';
import type { ModTime } from '../core/mod-time.ts';
import type { Entry, Remote } from '../core/remote.ts';
import type { FileContents } from './contents/file-contents.ts';
import type { KnownDirs } from './listing/find-known.ts';
import type { TreeLocks } from './locks/tree-locks.ts';
import type { Invalidations } from './mount-ops.ts';
import type { FileNode, Node } from './tree/node.ts';
import type { Tree } from './tree/tree.ts';

/** What all parts of one file system share. */
export interface VfsParts {
  readonly remote: Remote;
  readonly contents: FileContents;
  readonly options: VfsOptions;
  readonly clock: Clock;
  readonly tree: Tree;
  readonly locks: TreeLocks;
  readonly listings: KnownDirs;
  /** Open files, by the number of the handle; the handle itself is in `FileNode.opened`. */
  readonly files: Handles<FileNode>;
  /** Files and directories that are being renamed, and their new paths. */
  readonly renaming: Map<Node, string>;
  /** Receives what the kernel must forget. */
  readonly invalidations: Invalidations;
  /** Aborted at the end of the file system: for calls shared by several callers. */
  readonly signal: AbortSignal;
  /** When the file system was opened: the time of entries without one. */
  readonly startedAt: ModTime;
  /**
   * Limit of files and directories in memory that are not in use. Beyond it, the oldest listings are discarded; from
   * half of it on, the kernel is asked to forget unused ones.
   */
  readonly nodeLimit: number;
  /** Names that differ only in case are one. */
  readonly ignoresCase: boolean;
  /** Logs failures that no caller waits for. */
  readonly log: (doing: LogFields['mount-failed']['doing'], path: string, thrown: unknown) => void;
}

/** Open handles, by number. Numbers are not used again. */
export class Handles<T> {
  readonly #open = new Map<number, T>();
  #last = 0;

  add(opened: T): number {
    this.#open.set(++this.#last, opened);
    return this.#last;
  }

  /** Throws `file-not-found` if nothing is open under the number. */
  get(handle: number): T {
    const opened = this.#open.get(handle);
    if (opened !== undefined) return opened;
    throw new SyncerError('file-not-found', `handle ${handle} is not open`);
  }

  /** Removes and returns the handle of a number. */
  take(handle: number): T | undefined {
    const opened = this.#open.get(handle);
    this.#open.delete(handle);
    return opened;
  }
}

/**
 * Which files are kept on disk while they are used, as in rclone.
 *
 * - `off`: none. Files are read by ranges; they can only be written from start to end, and not read at the same time.
 * - `minimal`: files opened to read and write are kept; the rest is as with `off`.
 * - `writes`: files opened to write are kept until they are uploaded; files opened to read are as with `off`.
 * - `full`: what is read is kept too, as sparse files.
 */
export type CacheMode = 'off' | 'minimal' | 'writes' | 'full';

/** How a remote behaves as a file system. Sizes in bytes, durations in milliseconds. */
export interface VfsOptions {
  readonly cacheMode: CacheMode;
  /** Absolute path of the directory for cached contents and the journal of pending uploads. */
  readonly cacheDir: string;
  /** Limit of cached files that are not in use; `undefined`: no limit. */
  readonly cacheMaxSize: number | undefined;
  /** How much to keep free on the disk of the cache; `undefined`: no limit. */
  readonly cacheMinFree: number | undefined;
  /** How long a cached file is kept after its last use. */
  readonly cacheMaxAge: number;
  /** How often to look for files to evict from the cache. */
  readonly cachePollInterval: number;
  /** Delay between closing a file and its upload. */
  readonly writeBack: number;
  /** The size of the ranges in which a file is read; 0: without ranges. */
  readonly readChunkSize: number;
  /** Ranges double in size up to this; `undefined`: without limit. Not above `readChunkSize`: they do not grow. */
  readonly readChunkSizeLimit: number | undefined;
  /** How many ranges of one file are downloaded in parallel ahead of a sequential reader; 0: one, with growing ranges. */
  readonly readChunkStreams: number;
  /** How far `full` reads ahead of a reader. */
  readonly readAhead: number;
  /** How long an out-of-order read waits for earlier reads before it seeks. */
  readonly readWait: number;
  /** How long the read-ahead of a file is kept after it was closed. */
  readonly handleCaching: number;
  /** How long an out-of-order write waits for earlier writes, if files can only be written in order. */
  readonly writeWait: number;
  /** Looks up a missing name ignoring case. */
  readonly caseInsensitive: boolean;
  /** Detects changes of a remote file without its slow hash or slow modification time. */
  readonly fastFingerprint: boolean;
  /** Reads all directories in the background after opening. */
  readonly refresh: boolean;
  /** The total space; `undefined`: as the remote reports it, else 1 PiB. */
  readonly diskSpaceTotal: number | undefined;
  /** Computes the used space by listing all files (as `syncer size`), instead of a request. */
  readonly usedIsSize: boolean;
  readonly dirCacheTime: number;
  /** How often to request changes of the remote, if it supports that; 0: never. */
  readonly pollInterval: number;
  readonly readOnly: boolean;
  /** Modification times are neither read nor written: files have the time of their upload. */
  readonly noModTime: boolean;
  /** Contents are not compared by hash after uploads. */
  readonly noChecksum: boolean;
  /** Reads out of order fail instead of seeking (`unsupported`). */
  readonly noSeek: boolean;
  /** How many uploads of cached files run in parallel. */
  readonly transfers: number;
  /** How often an interrupted read of the remote is continued. */
  readonly lowLevelRetries: number;
  /** Memory for the read-ahead of one reader, in bytes; all together share eight times as much. */
  readonly bufferSize: number;
  /** Owner and group of all files. */
  readonly uid: number;
  readonly gid: number;
  /** The nine permission bits of all files, the umask already applied. */
  readonly filePerms: number;
  readonly dirPerms: number;
  /** Of symbolic links, if they are supported. */
  readonly linkPerms: number;
  /** Whether the filter of the run includes an entry. Absent: all are shown. */
  readonly isShown?: (entry: Entry) => boolean;
}
