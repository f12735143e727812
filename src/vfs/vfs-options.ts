import type { Entry } from '../core/remote.ts';

/**
 * What of a file is kept on disk while it is used, as in rclone.
 *
 * - `off`: nothing. Files are read by ranges; they can only be written from start to end, and not read at the same time.
 * - `minimal`: files opened to read and write are kept; the rest is as with `off`.
 * - `writes`: files opened to write are kept until they are uploaded; files opened to read are as with `off`.
 * - `full`: what is read is kept too, as sparse files.
 */
export type CacheMode = 'off' | 'minimal' | 'writes' | 'full';

/** How a remote behaves as a file system. Sizes in bytes, durations in milliseconds. */
export interface VfsOptions {
  readonly cacheMode: CacheMode;
  /** Absolute path of the folder that holds cached contents and the journal of pending uploads. */
  readonly cacheDir: string;
  /** How much the cache may hold of files that are not in use; `undefined`: no limit. */
  readonly cacheMaxSize: number | undefined;
  /** How long after its last use a cached file is kept. */
  readonly cacheMaxAge: number;
  /** How often to look for files to evict from the cache. */
  readonly cachePollInterval: number;
  /** How long after a file was closed its upload begins. */
  readonly writeBack: number;
  /** The size of the ranges in which a file is read; 0: without ranges. */
  readonly readChunkSize: number;
  /** Ranges double in size up to this; `undefined`: without limit. Not above `readChunkSize`: they do not grow. */
  readonly readChunkSizeLimit: number | undefined;
  /** How many ranges of one file are downloaded in parallel ahead of a sequential reader; 0: one, with growing ranges. */
  readonly readChunkStreams: number;
  /** How far `full` fetches ahead of a reader, beyond what it asks for. */
  readonly readAhead: number;
  /** How long an out-of-order read waits for earlier reads, rather than to seek. */
  readonly readWait: number;
  /** How long an out-of-order write waits for earlier writes, where files can only be written in order. */
  readonly writeWait: number;
  /** A name that is not there is looked for in any case. */
  readonly caseInsensitive: boolean;
  /** Changes of a remote file are found without its slow hash or slow modification time. */
  readonly fastFingerprint: boolean;
  /** The total space; `undefined`: what the remote reports, else 1 PiB. */
  readonly diskSpaceTotal: number | undefined;
  /** What is used is found by listing all files (as `syncer size`), not asked of the remote. */
  readonly usedIsSize: boolean;
  /** How long a listing of a directory counts. */
  readonly dirCacheTime: number;
  /** How often the remote is asked for changes, where it can tell them; 0: never. */
  readonly pollInterval: number;
  readonly readOnly: boolean;
  /** Modification times are neither read nor written: files have the time of their upload. */
  readonly noModTime: boolean;
  /** Contents are not compared by hash after uploads. */
  readonly noChecksum: boolean;
  /** Reads out of order fail rather than to seek (`unsupported`). */
  readonly noSeek: boolean;
  /** How many uploads of cached files run in parallel. */
  readonly transfers: number;
  /** How often a broken read of the remote is taken up again. */
  readonly lowLevelRetries: number;
  /** Memory that a reader's read-ahead may take, in bytes; all of them together share eight times as much. */
  readonly bufferSize: number;
  /** Owner and group of everything. */
  readonly uid: number;
  readonly gid: number;
  /** The nine permission bits of everything, the umask already taken off. */
  readonly filePerms: number;
  readonly dirPerms: number;
  /** Whether an entry is shown: the filter of the run. Absent: everything is. */
  readonly isShown?: (entry: Entry) => boolean;
}
