import type { DirEntry, FileEntry } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import type { FileHandle } from '../contents/file-contents.ts';
import type { Inode } from '../mount-ops.ts';
import { Children } from './children.ts';
import { KnownListing } from './known-listing.ts';
import { LocalChanges } from './local-changes.ts';

/** A file or a directory of the mount. */
export type Node = FileNode | DirNode;

/** What files and directories have in common. */
class NodeBase<E> {
  readonly inode: Inode;
  #name: string;
  #parent: DirNode | undefined;
  #lookups = 0;
  #entry: E | undefined;

  constructor(inode: Inode, name: string, entry: E | undefined) {
    this.inode = inode;
    this.#name = name;
    this.#entry = entry;
  }

  get name(): string {
    return this.#name;
  }

  /** `undefined` for the root, and for a node without a place. */
  get parent(): DirNode | undefined {
    return this.#parent;
  }

  /** How many lookups the kernel has and has not forgotten. */
  get lookups(): number {
    return this.#lookups;
  }

  /** The remote's entry under the name; its path may be an older one (see `entryOf`). */
  get entry(): E | undefined {
    return this.#entry;
  }

  /** It is in a directory now, under this name. `Tree` has the directory's children. */
  placed(dir: DirNode, name: string): void {
    this.#parent = dir;
    this.#name = name;
  }

  /** It has no place any more. */
  displaced(): void {
    this.#parent = undefined;
  }

  /** The kernel knows one more lookup of it. */
  lookedUp(): void {
    this.#lookups++;
  }

  /** The kernel has forgotten this many lookups. */
  forgotten(count: number): void {
    this.#lookups = Math.max(0, this.#lookups - count);
  }

  /** The remote has it as this entry; `undefined`: the remote does not have it. */
  foundAs(entry: E | undefined): void {
    this.#entry = entry;
  }
}

/** A file. There may be a million of them: every field costs memory. */
export class FileNode extends NodeBase<FileEntry> {
  readonly kind = 'file';
  #mayBeDirty = false;
  #hasPages = false;
  #handles: Map<number, FileHandle> | undefined = undefined;
  #closing = 0;

  /** The local content may be newer than the remote's: `Contents` knows whether it is. */
  get mayBeDirty(): boolean {
    return this.#mayBeDirty;
  }

  /** Whether it is open, or being closed. */
  get isOpen(): boolean {
    return this.#handles !== undefined || this.#closing > 0;
  }

  /** Whether programs have it open, and none of them for writing. */
  get isOnlyRead(): boolean {
    if (this.#handles === undefined) return false;
    return [...this.#handles.values()].every(({ canWrite }) => !canWrite);
  }

  /** The handle that was opened last. */
  get lastOpened(): FileHandle | undefined {
    return this.#handles === undefined ? undefined : [...this.#handles.values()].at(-1);
  }

  handle(number: number): FileHandle | undefined {
    return this.#handles?.get(number);
  }

  opened(number: number, handle: FileHandle): void {
    this.#handles ??= new Map();
    this.#handles.set(number, handle);
  }

  /** Takes a handle off it, which is the caller's from now on; `undefined` if it is not open. */
  takeHandle(number: number): FileHandle | undefined {
    const handle = this.handle(number);
    this.#handles?.delete(number);
    if (this.#handles?.size === 0) this.#handles = undefined;
    return handle;
  }

  /** Counts as open during a call that closes it. */
  async whileClosing(close: () => Promise<void>): Promise<void> {
    this.#closing++;
    try {
      await close();
    } finally {
      this.#closing--;
    }
  }

  /** It was written here, or is pending. */
  wrote(): void {
    this.#mayBeDirty = true;
  }

  /** The remote has all of it. */
  uploaded(): void {
    this.#mayBeDirty = false;
  }

  /** The kernel fills its page cache now; returns whether what is there is valid. */
  usesPages(): boolean {
    const hadPages = this.#hasPages;
    this.#hasPages = true;
    return hadPages;
  }

  /** The kernel's page cache of it is of another version. */
  outdatePages(): void {
    this.#hasPages = false;
  }
}

/** A directory. */
export class DirNode extends NodeBase<DirEntry> {
  readonly kind = 'dir';
  readonly children = new Children<Node>();
  readonly listing = new KnownListing<Node>();
  /** Most directories have none. */
  #changes: LocalChanges<Node> | undefined = undefined;
  #modTime: bigint | undefined = undefined;
  #isVirtual = false;
  #readers = 0;

  /** The local changes in it that a listing may not show. */
  get changes(): LocalChanges<Node> {
    this.#changes ??= new LocalChanges();
    return this.#changes;
  }

  /** Whether the remote has files of it that were deleted here while they were open. */
  get hasLeftovers(): boolean {
    return this.#changes?.hasLeftovers === true;
  }

  /** Set here, or of the last local change in it, or else the remote's. */
  get modTime(): bigint | undefined {
    return this.#modTime ?? this.entry?.modTime;
  }

  /** Created here and not on the remote, which keeps no empty directories: it stays until it is deleted. */
  get isVirtual(): boolean {
    return this.#isVirtual;
  }

  /** Whether programs have it open. */
  get isRead(): boolean {
    return this.#readers > 0;
  }

  /** Its time was set here, or something in it was changed then; `undefined`: the remote's is newer. */
  changedAt(modTime: bigint | undefined): void {
    this.#modTime = modTime;
  }

  /** The remote may lack it: here it stays until it is deleted. */
  becameVirtual(): void {
    this.#isVirtual = true;
  }

  /** The remote has it. */
  becameReal(): void {
    this.#isVirtual = false;
  }

  opened(): void {
    this.#readers++;
  }

  closed(): void {
    this.#readers--;
  }
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

/** Whether a file is open, or being closed. */
export function isOpen(node: Node): boolean {
  return node.kind === 'file' && node.isOpen;
}
