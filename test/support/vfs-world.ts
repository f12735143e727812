import type { MemoryOptions } from '../../src/backends/memory/memory-remote.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Emit } from '../../src/core/events.ts';
import type { Remote } from '../../src/core/remote.ts';
import { type Inode, type OpenFlags, ROOT_INODE } from '../../src/vfs/mount-ops.ts';
import { openVfs } from '../../src/vfs/open-vfs.ts';
import type { Vfs } from '../../src/vfs/vfs.ts';
import type { VfsOptions } from '../../src/vfs/vfs-options.ts';
import { overriding } from './layered.ts';
import { ManualClock } from './manual-clock.ts';
import { type MemoryContents, memoryContents } from './memory-contents.ts';
import { type Files, remoteBut, remoteWith } from './memory-world.ts';
import { VFS_DEFAULTS } from './vfs-defaults.ts';

/** What a file system for a test is to be like. */
export interface VfsSettings {
  readonly files?: Files;
  readonly memory?: MemoryOptions;
  readonly options?: Partial<VfsOptions>;
  readonly nodeLimit?: number;
  /** Those of another file system, in place of new ones. */
  readonly contents?: MemoryContents;
  /** Uploads wait for `contents.uploadAll`. */
  readonly waits?: boolean;
  /** The remote that the file system sees. */
  readonly wrap?: (remote: Remote) => Remote;
  /** Calls take a network, so that what may be needed next is fetched ahead. */
  readonly network?: boolean;
}

/** A file system in memory, with shorthands by path. */
export interface VfsWorld {
  readonly vfs: Vfs;
  readonly remote: Remote;
  readonly contents: MemoryContents;
  readonly clock: ManualClock;
  /** What the kernel was told to forget. */
  readonly told: string[];
  /** The failures that no caller waits for: what was done, and the path. */
  readonly logged: string[];
  /** What the remote was asked: `listPage dir`, `stat path`, `remove path` and so on. */
  readonly calls: string[];
  inode(path: string): Promise<Inode>;
  names(path: string): Promise<string[]>;
  size(path: string): Promise<number>;
  read(path: string): Promise<string>;
  /** Writes a file anew, without closing it where `open`. */
  write(path: string, text: string): Promise<void>;
  open(path: string, flags?: Partial<OpenFlags>): Promise<number>;
  create(path: string, flags?: Partial<OpenFlags>): Promise<number>;
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  rename(from: string, to: string, how?: 'replace' | 'no-replace'): Promise<void>;
}

export const op = { signal: new AbortController().signal };

const FLAGS: OpenFlags = {
  read: true,
  write: false,
  truncate: false,
  exclusive: false,
};

/** A file system above a remote in memory. */
export async function vfsWorld(settings: VfsSettings = {}): Promise<VfsWorld> {
  const remote = await remoteWith(settings.files ?? {}, settings.memory);
  if (settings.network) Object.assign(remote.traits, { onDisk: false });
  const calls: string[] = [];
  const seen = watched(settings.wrap?.(remote) ?? remote, calls);
  const contents = settings.contents ?? memoryContents(seen, settings.waits);
  const clock = new ManualClock();
  const options: VfsOptions = { ...VFS_DEFAULTS, cacheDir: '', ...settings.options };
  const logged: string[] = [];
  const emit: Emit = (event) => {
    if (event.type !== 'log' || event.code !== 'mount-failed') return;
    logged.push(`${event.fields.doing} ${event.path}`);
  };
  const context = { signal: op.signal, clock, emit };
  const told: string[] = [];
  const invalidations = {
    inode: () => void told.push('inode'),
    entry: (_parent: Inode, name: string) => void told.push(`entry ${name}`),
  };
  const vfs = openVfs(seen, contents, options, context, invalidations, settings.nodeLimit);

  const inode = async (path: string): Promise<Inode> => {
    let at = ROOT_INODE;
    for (const name of path === '' ? [] : path.split('/'))
      at = (await vfs.lookup(at, name, op)).inode;
    return at;
  };
  const place = async (path: string) => {
    const slash = path.lastIndexOf('/');
    const parent = await inode(path.slice(0, Math.max(0, slash)));
    const { kind } = await vfs.getAttributes(parent, undefined, op);
    if (kind !== 'dir') throw new SyncerError('not-a-directory', path);
    return { parent, name: path.slice(slash + 1) };
  };
  const close = async (handle: number) => {
    await vfs.flush(handle, op);
    await vfs.release(handle, op);
  };
  const open = async (path: string, flags: Partial<OpenFlags> = {}) =>
    (await vfs.open(await inode(path), { ...FLAGS, ...flags }, op)).handle;
  const create = async (path: string, flags: Partial<OpenFlags> = {}) => {
    const { parent, name } = await place(path);
    return (await vfs.create(parent, name, { ...FLAGS, write: true, ...flags }, op)).handle;
  };
  return {
    vfs,
    remote,
    contents,
    clock,
    told,
    logged,
    calls,
    inode,
    open,
    create,
    async names(path) {
      const handle = await vfs.openDir(await inode(path), op);
      const names: string[] = [];
      for (let from = 0; ; ) {
        const entries = await vfs.readDir(handle, from, op);
        const last = entries.at(-1);
        if (last === undefined) break;
        names.push(...entries.map(({ name }) => name));
        from = last.next;
      }
      vfs.releaseDir(handle);
      return names.sort();
    },
    async size(path) {
      return (await vfs.getAttributes(await inode(path), undefined, op)).size;
    },
    async read(path) {
      const handle = await open(path);
      const text = Buffer.from(await vfs.read(handle, 0, 1e6, op)).toString();
      await close(handle);
      return text;
    },
    async write(path, text) {
      const handle = await create(path, { truncate: true });
      await vfs.write(handle, 0, Buffer.from(text), op);
      await close(handle);
    },
    async mkdir(path) {
      const { parent, name } = await place(path);
      await vfs.makeDir(parent, name, op);
    },
    async rmdir(path) {
      const { parent, name } = await place(path);
      await vfs.removeDir(parent, name, op);
    },
    async unlink(path) {
      const { parent, name } = await place(path);
      await vfs.unlink(parent, name, op);
    },
    async rename(from, to, how = 'replace') {
      await vfs.rename(await place(from), await place(to), how, op);
    },
  };
}

/** The remote, noting its calls. */
function watched(remote: Remote, calls: string[]): Remote {
  const note = (name: string, path: string) => calls.push(`${name} ${path}`);
  return remoteBut(remote, {
    listPage: (dir, cursor, each) => {
      note('listPage', dir);
      return remote.listPage(dir, cursor, each);
    },
    stat: (path, each) => {
      note('stat', path);
      return remote.stat(path, each);
    },
    delete: (files, each, how) => {
      for (const { path } of files) note('remove', path);
      return remote.delete(files, each, how);
    },
    can: overriding(remote.can, {
      details: (details) => ({
        ...details,
        read: (file, each, asked) => {
          note('details', file.path);
          return details.read(file, each, asked);
        },
      }),
    }),
  });
}
