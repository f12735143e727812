import type { Clock } from '../core/context.ts';
import { SyncerError } from '../core/errors.ts';
import type { LogFields } from '../core/log-fields.ts';
import type { ModTime } from '../core/mod-time.ts';
import type { Op, Remote } from '../core/remote.ts';
import type { FileContents } from './contents/file-contents.ts';
import type { TreeLocks } from './locks/tree-locks.ts';
import type { Invalidations } from './mount-ops.ts';
import type { DirNode, FileNode, Node } from './tree/node.ts';
import type { Tree } from './tree/tree.ts';
import type { VfsOptions } from './vfs-options.ts';

/** What is known of directories; the class is `Listings`. */
export interface KnownDirs {
  /** The node of a name in a directory; `undefined` where there is none. */
  find(dir: DirNode, name: string, op: Op): Promise<Node | undefined>;
  /** As `find`, for a caller that holds the directory's path. */
  findHeld(dir: DirNode, name: string, op: Op): Promise<Node | undefined>;
  /** A directory was created a moment ago: it is empty. */
  knowEmpty(dir: DirNode): void;
  /** Forgets all listings; they are read again when they are needed. */
  refresh(): void;
}

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
  /** Takes what the kernel must forget. */
  readonly invalidations: Invalidations;
  /** Ends with the file system: for calls that several wait for. */
  readonly signal: AbortSignal;
  /** When the file system was opened: the time of what has none. */
  readonly startedAt: ModTime;
  /**
   * How many files and directories are in memory, at most, unless they are in use. Beyond, the oldest listings are
   * discarded; from half as many on, the kernel is asked to forget unused ones.
   */
  readonly nodeLimit: number;
  /** Names that differ only in case are one. */
  readonly ignoresCase: boolean;
  /** Logs what failed where no caller waits for it. */
  readonly log: (doing: LogFields['mount-failed']['doing'], path: string, thrown: unknown) => void;
}

/** What is open, by number. Numbers are not used again. */
export class Handles<T> {
  readonly #open = new Map<number, T>();
  #last = 0;

  add(opened: T): number {
    this.#open.set(++this.#last, opened);
    return this.#last;
  }

  /** Throws `file-not-found` where nothing is open under the number. */
  get(handle: number): T {
    const opened = this.#open.get(handle);
    if (opened !== undefined) return opened;
    throw new SyncerError('file-not-found', `handle ${handle} is not open`);
  }

  /** What was open under the number, and is not any more. */
  take(handle: number): T | undefined {
    const opened = this.#open.get(handle);
    this.#open.delete(handle);
    return opened;
  }
}
