import type { Op } from '../core/remote.ts';

/** The longest name, in bytes. */
export const NAME_LENGTH = 255;

/** The operations of a file system, independent of FUSE. Names are strings by `core/name-bytes`. */
export interface MountOps {
  /** The entry `name` of a directory. Every result of `lookup`, `makeDir` and `create` counts a lookup of its inode. */
  lookup(parent: Inode, name: string, op: Op): Promise<Attributes>;
  /** The kernel has forgotten `count` lookups of the inode. */
  forget(inode: Inode, count: number): void;
  getAttributes(inode: Inode, handle: number | undefined, op: Op): Promise<Attributes>;
  setAttributes(
    inode: Inode,
    change: AttributeChange,
    handle: number | undefined,
    op: Op,
  ): Promise<Attributes>;
  makeDir(parent: Inode, name: string, op: Op): Promise<Attributes>;
  removeDir(parent: Inode, name: string, op: Op): Promise<void>;
  /** Creates a symbolic link; `target` as it is on disks. Absent: links are not supported. */
  makeLink?(parent: Inode, name: string, target: Uint8Array, op: Op): Promise<Attributes>;
  /** The target of a symbolic link. */
  readLink?(inode: Inode, op: Op): Promise<Uint8Array>;
  unlink(parent: Inode, name: string, op: Op): Promise<void>;
  rename(from: EntryPlace, to: EntryPlace, how: RenameRule, op: Op): Promise<void>;
  open(inode: Inode, flags: OpenFlags, op: Op): Promise<OpenedFile>;
  create(parent: Inode, name: string, flags: OpenFlags, op: Op): Promise<CreatedFile>;
  /** At most `length` bytes from `offset`; fewer only at the end of the file. */
  read(handle: number, offset: number, length: number, op: Op): Promise<Uint8Array>;
  /** `data` is valid until the promise settles. */
  write(handle: number, at: WritePosition, data: Uint8Array, op: Op): Promise<void>;
  /** One of the descriptors of the file was closed: the last call whose error reaches the program. */
  flush(handle: number, op: Op): Promise<void>;
  sync(handle: number, op: Op): Promise<void>;
  /** The last descriptor was closed. Errors are only logged. */
  release(handle: number, op: Op): Promise<void>;
  openDir(inode: Inode, op: Op): Promise<number>;
  /**
   * Entries from position `from` on (0 at the start), without `.` and `..`: as many as available, none at the end.
   * Listed attributes count no lookup.
   */
  readDir(handle: number, from: number, op: Op): Promise<readonly ListedEntry[]>;
  releaseDir(handle: number): void;
  /** The kernel got `inode` from a listing: counts a lookup. */
  remember(inode: Inode): void;
  /** The path of an inode, for messages: `''` is the root; `undefined` if it has no name any more. */
  pathOf(inode: Inode): string | undefined;
  space(op: Op): Promise<Space>;
  /** Uploads what is pending and closes; resolves when all is safe or the signal is aborted. */
  close(op: Op): Promise<void>;
}

/** A file system above another: what `own` does not do is done by `inner`. */
export function opsAbove(inner: MountOps, own: Partial<MountOps>): MountOps {
  return new Proxy(inner, {
    get: (_, name) => {
      const from = Reflect.has(own, name) ? own : inner;
      return Reflect.get(from, name)?.bind(from);
    },
  });
}

/** The number of a file or directory while the mount lives. The root is 1. */
export type Inode = number;

export const ROOT_INODE: Inode = 1;

export interface EntryPlace {
  readonly parent: Inode;
  readonly name: string;
}

/** An offset, or the end of the file, wherever that is by then. */
export type WritePosition = number | 'end';

/** `no-replace`: fail with `already-exists` if the new name exists (RENAME_NOREPLACE). */
export type RenameRule = 'replace' | 'no-replace';

/** The result of stat(2). Times are nanoseconds since the epoch. */
export interface Attributes {
  readonly inode: Inode;
  readonly kind: 'file' | 'dir' | 'link';
  /** In bytes. */
  readonly size: number;
  readonly modTime: bigint;
  readonly accessTime: bigint;
  readonly changeTime: bigint;
  /** The nine permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly links: number;
}

/** Attributes to change; absent members stay. */
export interface AttributeChange {
  readonly size?: number;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly modTime?: bigint;
  readonly accessTime?: bigint;
}

/** The flags of open(2). */
export interface OpenFlags {
  readonly read: boolean;
  readonly write: boolean;
  readonly truncate: boolean;
  /** `O_EXCL`: fail with `already-exists` if it exists. */
  readonly exclusive: boolean;
}

export interface OpenedFile {
  readonly handle: number;
  /** The kernel's page cache of the file is still valid. */
  readonly keepCache: boolean;
  /** Reads bypass the page cache: the size is unknown. */
  readonly directIo: boolean;
}

/** A file that was created and opened. */
export interface CreatedFile extends OpenedFile {
  readonly attributes: Attributes;
}

/** One entry of a directory. */
export interface ListedEntry {
  readonly name: string;
  readonly attributes: Attributes;
  /** Passed to `readDir` to continue after this entry. */
  readonly next: number;
  /** The times are unknown, as each costs a request: do not keep the attributes, call `getAttributes`. */
  readonly isRough?: boolean;
}

/** The result of statfs(2), in bytes. */
export interface Space {
  readonly total: number;
  readonly free: number;
  readonly files: number;
  readonly blockSize: number;
  readonly nameLength: number;
}

/** What the kernel must forget when the remote has changed. */
export interface Invalidations {
  /** Drop the cached content and attributes of an inode. */
  inode(inode: Inode): void;
  /** Drop a cached name. */
  entry(parent: Inode, name: string): void;
}
