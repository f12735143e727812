import type { DirEntry, FileEntry } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import type { FileHandle } from '../contents/file-contents.ts';
import type { Inode } from '../mount-ops.ts';

/** A file or a directory that the mount knows. */
export type Node = FileNode | DirNode;

/** What files and directories have in common. */
class NodeBase<E> {
  readonly inode: Inode;
  name: string;
  /** `undefined` for the root, and where it has no name any more. */
  parent: DirNode | undefined;
  /** How many lookups the kernel was given and has not given back. */
  lookups = 0;
  /** What the remote has under the name; its path may be an older one (see `entryOf`). */
  entry: E | undefined;

  constructor(inode: Inode, name: string, parent: DirNode | undefined, entry: E | undefined) {
    this.inode = inode;
    this.name = name;
    this.parent = parent;
    this.entry = entry;
  }
}

/** A file. There may be a million of them: every field costs. */
export class FileNode extends NodeBase<FileEntry> {
  readonly kind = 'file';
  /** What is here may be newer than what the remote has. */
  isDirty = false;
  /** What the kernel's page cache may hold of it is right. */
  hasPages = false;
  /** Its open handles, by number. */
  opened: Map<number, FileHandle> | undefined = undefined;
  /** How many handles are being closed. */
  closing = 0;
}

/** The changes made here during one read of a directory: by name, what is there now. */
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
  /** Set here, or when something in it was changed here. */
  modTime: bigint | undefined = undefined;
  /** Made here and not to be found on the remote, which keeps no empty directories: it stays until it is removed. */
  isVirtual = false;
  /** By name: all where the listing is fresh, else those that are known. */
  children: Map<string, Node> | undefined = undefined;
  /** When the listing was begun, by the monotonic clock; -Infinity where there is none that counts. */
  listedAt = Number.NEGATIVE_INFINITY;
  /** Children that were asked for one by one, and when. */
  checked: Map<string, number> | undefined = undefined;
  /** How many were asked for one by one since the last listing. */
  asked = 0;
  /** Its listing has more than one page. */
  isLarge = false;
  loading: Loading | undefined = undefined;
  /** Reads of it that are under way. */
  reads: Set<OwnChanges> | undefined = undefined;
  snapshot: Snapshot | undefined = undefined;
  /** By folded name, where case does not count. */
  folded: Map<string, string> | undefined = undefined;
  /** How many removals of what is in it were begun, and how many of them are under way. */
  removals = 0;
  removing = 0;
  /** Files that were removed while they were open: the remote has them until they are closed. */
  leftovers: Map<string, FileEntry> | undefined = undefined;
  /** How far readers of it have got, for reading ahead. */
  walk: PathWalk | undefined = undefined;
  /** How often it is open. */
  readers = 0;
  /** Calls to the remote that use its path or one below it. */
  users = 0;
  /** Resolves when it stands at its new place; while it is set, its path must not be used. */
  moving: Promise<void> | undefined = undefined;
  /** Resolves when the last change of what is in it that was begun has ended. */
  changing: Promise<void> | undefined = undefined;
}

/** How far what is in a directory was looked at one after the other. */
export interface PathWalk {
  /** Directories in it that were opened, and files whose times were asked for; the last one of these. */
  dirs: number;
  files: number;
  lastFile: FileNode | undefined;
  /** How many were fetched ahead, and where in the snapshot to continue. */
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
export function pathIn(dir: DirNode, name: string): string {
  return joinPath(pathOf(dir), name);
}

/** What the remote has of a file, under the path it has now. */
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

/** The children of a directory as they are now; shared by all who read it until it changes. */
export function snapshotOf(dir: DirNode): Snapshot {
  dir.snapshot ??= {
    names: [...(dir.children?.keys() ?? [])],
    nodes: [...(dir.children?.values() ?? [])],
  };
  return dir.snapshot;
}

/** How far readers of a directory have got. */
export function walkOf(dir: DirNode): PathWalk {
  dir.walk ??= {
    ...{ dirs: 0, files: 0, lastFile: undefined },
    ...{ dirsAhead: 0, filesAhead: 0, dirCursor: 0, fileCursor: 0 },
  };
  return dir.walk;
}
