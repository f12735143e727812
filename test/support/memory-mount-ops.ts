import { SyncerError } from '../../src/core/errors.ts';
import type {
  Attributes,
  CreatedFile,
  Inode,
  MountOps,
  OpenFlags,
} from '../../src/vfs/mount-ops.ts';

/** A file or directory in memory. */
interface Node {
  readonly inode: Inode;
  readonly kind: 'file' | 'dir';
  /** Names in it that differ only in case are one name. */
  readonly folds: boolean;
  readonly children: Map<string, Node>;
  content: Buffer;
  size: number;
  modTime: bigint;
  accessTime: bigint;
  changeTime: bigint;
  /** Names that stand for it. */
  links: number;
  /** Lookups the kernel has not given back. */
  lookups: number;
  open: number;
}

/** Operations in memory, and what tests want to know of them. */
export interface MemoryMount extends MountOps {
  /** Inodes that are known, the root among them. */
  known(): number;
  /** Files and directories that are open. */
  opened(): number;
  /** Called before every operation with its name; what it gives is waited for, and what it throws is thrown. */
  before: (operation: string, signal: AbortSignal) => Promise<void> | void;
}

/** Directories whose names that differ only in case are one name. */
export interface FoldingDirs {
  /** Whether all spellings of a name have one inode number, or each one of its own. */
  readonly inodes: 'one' | 'apart';
  /** Whether a new directory of this name ignores case, and all below it; `''` is the root. */
  folds(name: string): boolean;
}

/**
 * An empty file system in memory that does what a program expects of a local disk. One that ignores case keeps times to
 * the second, as exFAT.
 */
export function memoryMountOps(folding?: FoldingDirs): MemoryMount {
  const nodes = new Map<Inode, Node>();
  const handles = new Map<number, Node>();
  let lastInode = 0;
  let lastHandle = 0;

  const spelt = new Map<string, Inode>();

  const make = (kind: Node['kind'], folds: boolean): Node => {
    const now = BigInt(Date.now()) * 1_000_000n;
    const times = { modTime: now, accessTime: now, changeTime: now };
    const count = { links: 1, lookups: 0, open: 0 };
    const content = Buffer.alloc(0);
    const node = {
      inode: ++lastInode,
      kind,
      folds,
      children: new Map(),
      content,
      size: 0,
      ...times,
      ...count,
    };
    nodes.set(node.inode, node);
    return node;
  };
  make('dir', folding?.folds('') === true);

  const nodeOf = (inode: Inode): Node => {
    const node = nodes.get(inode);
    if (node === undefined) throw new SyncerError('file-not-found', `no inode ${inode}`);
    return node;
  };
  /** The name of an entry as its directory has it. */
  const nameIn = (dir: Node, name: string): string => {
    if (!dir.folds || dir.children.has(name)) return name;
    const isIt = (other: string) => other.toLowerCase() === name.toLowerCase();
    return [...dir.children.keys()].find(isIt) ?? name;
  };
  const child = (parent: Inode, name: string): Node => {
    const dir = nodeOf(parent);
    const node = dir.children.get(nameIn(dir, name));
    if (node === undefined) throw new SyncerError('file-not-found', `no ${name}`);
    return node;
  };
  /** What is told of a node by a name, which may be another than that in its directory. */
  const toldAs = (parent: Inode, name: string): Attributes => {
    const node = child(parent, name);
    const attributes = told(node);
    if (folding?.inodes !== 'apart' || nodeOf(parent).children.has(name)) return attributes;
    const key = `${node.inode} ${name}`;
    const inode = spelt.get(key) ?? ++lastInode;
    spelt.set(key, inode);
    nodes.set(inode, node);
    return { ...attributes, inode };
  };
  const fileOf = (handle: number) => {
    const file = handles.get(handle);
    if (file === undefined) throw new SyncerError('other', `no handle ${handle}`);
    return file;
  };
  const told = (node: Node): Attributes => {
    node.lookups++;
    return attributesOf(node);
  };
  const freeUnused = (node: Node) => {
    if (node.links === 0 && node.lookups <= 0 && node.open === 0) nodes.delete(node.inode);
  };
  const open = (node: Node, flags: OpenFlags) => {
    if (flags.truncate) resize(node, 0);
    node.open++;
    handles.set(++lastHandle, node);
    return { handle: lastHandle, keepCache: false, directIo: false };
  };
  const touch = (node: Node) => {
    node.modTime = BigInt(Date.now()) * 1_000_000n;
    node.changeTime = node.modTime;
  };
  const unlinkFrom = (dir: Node, name: string, node: Node) => {
    dir.children.delete(name);
    node.links--;
    touch(dir);
    freeUnused(node);
  };

  const ops: MemoryMount = {
    known: () => nodes.size,
    opened: () => handles.size,
    before: () => {},
    async lookup(parent, name) {
      return toldAs(parent, name);
    },
    forget(inode, count) {
      const node = nodes.get(inode);
      if (node === undefined || inode === 1) return;
      node.lookups -= count;
      freeUnused(node);
    },
    async getAttributes(inode) {
      return { ...attributesOf(nodeOf(inode)), inode };
    },
    async setAttributes(inode, change) {
      const node = nodeOf(inode);
      if (change.size !== undefined) resize(node, change.size);
      const { modTime } = change;
      if (modTime !== undefined)
        node.modTime = folding === undefined ? modTime : modTime - (modTime % 1_000_000_000n);
      if (change.accessTime !== undefined) node.accessTime = change.accessTime;
      return { ...attributesOf(node), inode };
    },
    async makeDir(parent, name) {
      const dir = nodeOf(parent);
      if (dir.children.has(nameIn(dir, name))) throw new SyncerError('already-exists', name);
      const node = make('dir', dir.folds || folding?.folds(name) === true);
      dir.children.set(name, node);
      touch(dir);
      return told(node);
    },
    async removeDir(parent, name) {
      const node = child(parent, name);
      if (node.kind === 'file') throw new SyncerError('not-a-directory', name);
      if (node.children.size > 0) throw new SyncerError('not-empty', name);
      unlinkFrom(nodeOf(parent), nameIn(nodeOf(parent), name), node);
    },
    async unlink(parent, name) {
      const node = child(parent, name);
      if (node.kind === 'dir') throw new SyncerError('not-a-file', name);
      unlinkFrom(nodeOf(parent), nameIn(nodeOf(parent), name), node);
    },
    async rename(from, to, how) {
      const node = child(from.parent, from.name);
      const dir = nodeOf(to.parent);
      const there = nameIn(dir, to.name);
      const old = dir.children.get(there);
      if (old === node && !dir.folds) return;
      if (old !== undefined && old !== node) {
        if (how === 'no-replace') throw new SyncerError('already-exists', to.name);
        if (old.children.size > 0) throw new SyncerError('not-empty', to.name);
        unlinkFrom(dir, there, old);
      }
      const source = nodeOf(from.parent);
      source.children.delete(nameIn(source, from.name));
      dir.children.set(to.name, node);
      touch(dir);
    },
    async open(inode, flags) {
      return open(nodeOf(inode), flags);
    },
    async create(parent, name, flags): Promise<CreatedFile> {
      const dir = nodeOf(parent);
      const there = nameIn(dir, name);
      const old = dir.children.get(there);
      if (old !== undefined && flags.exclusive) throw new SyncerError('already-exists', name);
      const node = old ?? make('file', false);
      dir.children.set(there, node);
      touch(dir);
      return { ...open(node, flags), attributes: told(node) };
    },
    async read(handle, offset, length) {
      const node = fileOf(handle);
      return node.content.subarray(offset, Math.min(offset + length, node.size));
    },
    async write(handle, position, data) {
      const node = fileOf(handle);
      const at = position === 'end' ? node.size : position;
      const end = at + data.length;
      if (end > node.size) resize(node, end);
      node.content.set(data, at);
      touch(node);
    },
    async flush() {},
    async sync() {},
    async release(handle) {
      const node = fileOf(handle);
      handles.delete(handle);
      node.open--;
      freeUnused(node);
    },
    async openDir(inode) {
      const node = nodeOf(inode);
      handles.set(++lastHandle, node);
      return lastHandle;
    },
    async readDir(handle, from) {
      const entries = [...fileOf(handle).children].slice(from, from + 1000);
      return entries.map(([name, node], i) => ({
        name,
        attributes: attributesOf(node),
        next: from + i + 1,
      }));
    },
    releaseDir(handle) {
      handles.delete(handle);
    },
    remember(inode) {
      nodeOf(inode).lookups++;
    },
    pathOf: () => undefined,
    async space() {
      return { total: 2 ** 50, free: 2 ** 50, files: nodes.size, blockSize: 4096, nameLength: 255 };
    },
    async close() {},
  };
  return watched(ops);
}

/** Calls `before` ahead of every operation that is answered by a promise. */
function watched(ops: MemoryMount): MemoryMount {
  const plain = new Set([
    'pathOf',
    'before',
    'known',
    'opened',
    'forget',
    'remember',
    'releaseDir',
    'close',
  ]);
  return new Proxy(ops, {
    get(target, name: keyof MemoryMount) {
      const member = target[name];
      if (member === undefined || plain.has(name)) return member;
      return (...args: unknown[]) => {
        const call = member as unknown as (...args: unknown[]) => Promise<unknown>;
        const { signal } = args.at(-1) as { signal: AbortSignal };
        const pause = target.before(name, signal);
        return pause === undefined ? call(...args) : pause.then(() => call(...args));
      };
    },
  });
}

function attributesOf(node: Node): Attributes {
  const { inode, kind, size, modTime, accessTime, changeTime } = node;
  const links = node.kind === 'dir' ? 2 : node.links;
  const mode = kind === 'dir' ? 0o755 : 0o644;
  return { inode, kind, size, modTime, accessTime, changeTime, mode, uid: 0, gid: 0, links };
}

function resize(node: Node, size: number): void {
  if (size > node.content.length) {
    const grown = Buffer.alloc(Math.max(size, node.content.length * 2));
    node.content.copy(grown, 0, 0, node.size);
    node.content = grown;
  } else if (size < node.size) {
    node.content.fill(0, size, node.size);
  }
  node.size = size;
}
