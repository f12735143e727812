import { randomUUID } from 'node:crypto';
import type { Metadata } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash-names.ts';
import type { ModTime } from '../../core/mod-time.ts';
import { foldName } from '../../core/name-order.ts';
import { leafName, parentPath } from '../../core/remote-path.ts';

export interface MemoryFile {
  readonly kind: 'file';
  readonly content: Buffer;
  readonly hashes: Hashes;
  readonly modTime: ModTime | undefined;
  readonly mimeType: string | undefined;
  readonly tier?: string;
  readonly metadata?: Metadata;
  readonly id?: string;
}

export interface MemoryDir {
  readonly kind: 'dir';
  /** By key (see `MemoryTree.keyOf`), with the name as it was written. */
  readonly children: Map<string, { readonly name: string; readonly node: MemoryNode }>;
}

/** An entry of the tree. */
export type MemoryNode = MemoryFile | MemoryDir;

const newDir = (): MemoryDir => ({ kind: 'dir', children: new Map() });

/** Files and directories in memory, shared by all remotes opened on it. Paths are absolute in the tree. */
export class MemoryTree {
  readonly #root = newDir();
  readonly #caseInsensitive: boolean;
  /** Identifies the tree. */
  readonly id: string = randomUUID();

  constructor(caseInsensitive = false) {
    this.#caseInsensitive = caseInsensitive;
  }

  /** The node at `path`; `undefined` if there is none. */
  find(path: string): MemoryNode | undefined {
    let node: MemoryNode | undefined = this.#root;
    for (const name of segments(path)) {
      if (node?.kind !== 'dir') return undefined;
      node = node.children.get(this.#keyOf(name))?.node;
    }
    return node;
  }

  /** The directory at `path`; throws `directory-not-found`. */
  dir(path: string): MemoryDir {
    const node = this.find(path);
    if (node?.kind === 'dir') return node;
    throw new SyncerError('directory-not-found', `${path}: directory not found`, { path });
  }

  /** The file at `path`; throws `file-not-found`. */
  file(path: string): MemoryFile {
    const node = this.find(path);
    if (node?.kind === 'file') return node;
    throw new SyncerError('file-not-found', `${path}: object not found`, { path });
  }

  /** Creates a directory with its parents; throws `not-a-directory` if a file is in the way. */
  makeDir(path: string): MemoryDir {
    let dir = this.#root;
    for (const name of segments(path)) {
      const key = this.#keyOf(name);
      const child = dir.children.get(key) ?? { name, node: newDir() };
      if (child.node.kind === 'file') {
        throw new SyncerError('not-a-directory', `${path}: is a file, not a directory`, { path });
      }
      dir.children.set(key, child);
      dir = child.node;
    }
    return dir;
  }

  /** Throws `not-a-file` if a directory is at `path`. */
  checkNoDir(path: string): void {
    if (this.find(path)?.kind !== 'dir') return;
    throw new SyncerError('not-a-file', `${path}: is a directory, not a file`, { path });
  }

  /** Puts a file or a directory at `path`, replacing the previous one. */
  put(path: string, node: MemoryNode): void {
    const name = leafName(path);
    this.makeDir(parentPath(path)).children.set(this.#keyOf(name), { name, node });
  }

  delete(path: string): void {
    const parent = this.find(parentPath(path));
    if (parent?.kind === 'dir') parent.children.delete(this.#keyOf(leafName(path)));
  }

  /** Deletes empty directories from `path` upwards, but not `root` or those above it. */
  deleteEmptyDirs(path: string, root: string): void {
    let dir = path;
    while (dir !== root) {
      const node = this.find(dir);
      if (node?.kind !== 'dir' || node.children.size > 0) return;
      this.delete(dir);
      dir = parentPath(dir);
    }
  }

  #keyOf(name: string): string {
    return this.#caseInsensitive ? foldName(name) : name;
  }
}

const segments = (path: string): string[] => (path === '' ? [] : path.split('/'));
