import type { Clock } from '../core/context.ts';
import { SyncerError } from '../core/errors.ts';
import type { LogFields } from '../core/log-fields.ts';
import type { ModTime } from '../core/mod-time.ts';
import type { Op, Remote } from '../core/remote.ts';
import type { FileContents } from './contents/contents.ts';
import type { TreeLocks } from './locks/tree-locks.ts';
import type { Invalidations } from './mount-ops.ts';
import type { DirNode, FileNode, Node } from './tree/node.ts';
import type { Tree } from './tree/tree.ts';
import type { VfsOptions } from './vfs-options.ts';

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

/** The known state of directories; the class is `Listings`. */
export interface KnownDirs {
  /** The node of a name in a directory; `undefined` if there is none. */
  find(dir: DirNode, name: string, op: Op): Promise<Node | undefined>;
  /** As `find`, for a caller that holds the directory's path. */
  findHeld(dir: DirNode, name: string, op: Op): Promise<Node | undefined>;
  /** A directory was just created: it is empty. */
  knowEmpty(dir: DirNode): void;
  /** Expires all listings; they are read again on demand. */
  refresh(): void;
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
