import type { Entry } from '../core/remote.ts';

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
