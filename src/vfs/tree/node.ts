import type { DirEntry, FileEntry } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import type { FileHandle } from '../contents/file-contents.ts';
import type { Inode } from '../mount-ops.ts';

/** A file or a directory of the mount. */
export type Node = FileNode | DirNode;

/** What files and directories have in common. */
class NodeBase<E> {
  readonly inode: Inode;
  name: string;
  /** `undefined` for the root, and for a node without a name. */
  parent: DirNode | undefined;
  /** How many lookups the kernel has and has not forgotten. */
  lookups = 0;
  /** The remote's entry under the name; its path may be an older one (see `entryOf`). */
  entry: E | undefined;

  constructor(inode: Inode, name: string, parent: DirNode | undefined, entry: E | undefined) {
    this.inode = inode;
    this.name = name;
    this.parent = parent;
    this.entry = entry;
  }
}

/** A file. There may be a million of them: every field costs memory. */
export class FileNode extends NodeBase<FileEntry> {
  readonly kind = 'file';
  /** The local content may be newer than the remote's. */
  isDirty = false;
  /** The kernel's page cache of it is valid. */
  hasPages = false;
  /** Its open handles, by number. */
  opened: Map<number, FileHandle> | undefined = undefined;
  /** How many handles are being closed. */
  closing = 0;
}

/** Local changes during one read of a directory: the current node of each name. */
export type OwnChanges = Map<string, Node | undefined>;

/** A listing of a directory that is being read. */
export interface Loading {
  /** Whether the directory was read to its end. */
  readonly done: Promise<boolean>;
  /** A caller needs all pages. */
  wantsAll: boolean;
  /** No call with an unknown outcome ran at the same time. */
  isTrusted: boolean;
}

/** The children of a directory at one moment, in the order of the listing. */
export interface Snapshot {
  readonly names: readonly string[];
  readonly nodes: readonly Node[];
}

/** A directory. */
export class DirNode extends NodeBase<DirEntry> {
  readonly kind = 'dir';
  /** Set here, or the time of the last local change in it. */
  modTime: bigint | undefined = undefined;
  /** Created here and not on the remote, which keeps no empty directories: it stays until it is deleted. */
  isVirtual = false;
  /** By name: all if the listing is valid, otherwise the known ones. */
  children: Map<string, Node> | undefined = undefined;
  /** The start of the listing, by the monotonic clock; -Infinity if there is no valid one. */
  listedAt = Number.NEGATIVE_INFINITY;
  /** Children that were requested one by one, and when. */
  checked: Map<string, number> | undefined = undefined;
  /** How many were requested one by one since the last listing. */
  asked = 0;
  /** Its listing has more than one page. */
  isLarge = false;
  loading: Loading | undefined = undefined;
  /** Running reads of it. */
  reads: Set<OwnChanges> | undefined = undefined;
  snapshot: Snapshot | undefined = undefined;
  /** By folded name, on a remote that ignores case. */
  folded: Map<string, string> | undefined = undefined;
  /** How many deletions in it were started, and how many of them are running. */
  removals = 0;
  removing = 0;
  /** Files that were deleted while they were open: the remote has them until they are closed. */
  leftovers: Map<string, FileEntry> | undefined = undefined;
  /** The progress of its readers, for reading ahead. */
  walk: PathWalk | undefined = undefined;
  /** How often it is open. */
  readers = 0;
  /** Calls to the remote that use its path or one below it. */
  users = 0;
  /** Resolves when it has moved; while it is set, its path must not be used. */
  moving: Promise<void> | undefined = undefined;
  /** Resolves when the last started change of its entries has ended. */
  changing: Promise<void> | undefined = undefined;
}

/** The progress of a program that reads a directory in order. */
export interface PathWalk {
  /** Directories in it that were opened, and files whose times were requested; the last one of these. */
  dirs: number;
  files: number;
  lastFile: FileNode | undefined;
  /** How many were requested ahead, and where in the snapshot to continue. */
  dirsAhead: number;
  filesAhead: number;
  dirCursor: number;
  fileCursor: number;
}

/** The path of a node below the root of the remote; of one without a name, only that name. */
export function pathOf(node: Node): string {
  let path = node.name;
  for (let at = node.parent; at?.parent !== undefined; at = at.parent) path = `${at.name}/${path}`;
  return path;
}

/** The path of a name in a directory. */
export const pathIn = (dir: DirNode, name: string): string => joinPath(pathOf(dir), name);

/** The remote's entry of a file, with its current path. */
export function entryOf(node: FileNode, path = pathOf(node)): FileEntry | undefined {
  const { entry } = node;
  return entry === undefined || entry.path === path ? entry : { ...entry, path };
}

/** The handle of a file that was opened last. */
export function lastOpened({ opened }: FileNode): FileHandle | undefined {
  return opened === undefined ? undefined : [...opened.values()].at(-1);
}

/** Whether a file is open, or being closed. */
export function isOpen(node: Node): boolean {
  return node.kind === 'file' && (node.opened !== undefined || node.closing > 0);
}

/** The current children of a directory; shared by all readers until it changes. */
export function snapshotOf(dir: DirNode): Snapshot {
  dir.snapshot ??= {
    names: [...(dir.children?.keys() ?? [])],
    nodes: [...(dir.children?.values() ?? [])],
  };
  return dir.snapshot;
}

/** The progress of a directory's readers. */
export function walkOf(dir: DirNode): PathWalk {
  dir.walk ??= {
    dirs: 0,
    files: 0,
    lastFile: undefined,
    dirsAhead: 0,
    filesAhead: 0,
    dirCursor: 0,
    fileCursor: 0,
  };
  return dir.walk;
}
