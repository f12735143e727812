import { hasCode, SyncerError } from '../core/errors.ts';
import type { Op, Remote } from '../core/remote.ts';
import { joinPath } from '../core/remote-path.ts';
import { describedPath, metadataText, unchangeable } from '../go/metadata-text.ts';
import {
  type Attributes,
  type Inode,
  type MountOps,
  type OpenFlags,
  opsAbove,
} from './mount-ops.ts';

/** Inodes and handles of metadata files begin here; those of the file system count from 1. */
const FIRST = 2 ** 52;

interface MetadataFile {
  readonly parent: Inode;
  readonly name: string;
  attributes: Attributes;
  text: Buffer;
  lookups: number;
}

/**
 * A file system with a file `NAME` + `extension` for each entry `NAME`, which shows its metadata as JSON, as rclone's
 * `--vfs-metadata-extension`. They are in no listing, a file that has such a name hides one, and all changes of them
 * are rejected with `access-denied`.
 *
 * @param remote what the file system shows, for its metadata
 */
export function withMetadataOps(inner: MountOps, remote: Remote, extension: string): MountOps {
  const files = new MetadataFiles(inner, remote, extension);
  return opsAbove(inner, {
    lookup: (parent, name, op) =>
      inner.lookup(parent, name, op).catch((thrown) => files.lookup(parent, name, thrown, op)),
    forget: (inode, count) => {
      if (inode < FIRST) inner.forget(inode, count);
      else files.forget(inode, count);
    },
    getAttributes: async (inode, handle, op) =>
      inode < FIRST ? inner.getAttributes(inode, handle, op) : files.get(inode).attributes,
    setAttributes: async (inode, change, handle, op) => {
      if (inode >= FIRST) throw unchangeable(files.get(inode).name);
      return inner.setAttributes(inode, change, handle, op);
    },
    unlink: (parent, name, op) =>
      inner.unlink(parent, name, op).catch((thrown) => files.refuse(parent, name, thrown, op)),
    rename: (from, to, how, op) =>
      inner
        .rename(from, to, how, op)
        .catch((thrown) => files.refuse(from.parent, from.name, thrown, op)),
    open: async (inode, flags, op) =>
      inode < FIRST ? inner.open(inode, flags, op) : files.open(inode, flags),
    read: async (handle, offset, length, op) =>
      handle < FIRST
        ? inner.read(handle, offset, length, op)
        : files.opened(handle).subarray(offset, offset + length),
    flush: async (handle, op) => {
      if (handle < FIRST) await inner.flush(handle, op);
    },
    sync: async (handle, op) => {
      if (handle < FIRST) await inner.sync(handle, op);
    },
    release: async (handle, op) => {
      if (handle < FIRST) await inner.release(handle, op);
      else files.release(handle);
    },
    pathOf: (inode) => (inode < FIRST ? inner.pathOf(inode) : files.pathOf(inode)),
  });
}

class MetadataFiles {
  readonly #inner: MountOps;
  readonly #remote: Remote;
  readonly #extension: string;
  /** Those that the kernel knows. */
  readonly #known = new Map<Inode, MetadataFile>();
  /** Their inodes by the directory and the name. */
  readonly #inodes = new Map<string, Inode>();
  /** What open files show, by handle. */
  readonly #open = new Map<number, Buffer>();
  #next = FIRST;

  constructor(inner: MountOps, remote: Remote, extension: string) {
    this.#inner = inner;
    this.#remote = remote;
    this.#extension = extension;
  }

  /** The metadata file of a name that was not found; without one, rejects with `thrown`. Counts a lookup. */
  async lookup(parent: Inode, name: string, thrown: unknown, op: Op): Promise<Attributes> {
    const about = await this.#describedBy(parent, name, thrown, op);
    const path = this.#inner.pathOf(about.inode);
    const entry = path === undefined ? undefined : await this.#remote.stat(path, op);
    const text = await metadataText(this.#remote, entry, op);
    const key = keyOf(parent, name);
    const inode = this.#inodes.get(key) ?? this.#next++;
    const { modTime, accessTime, changeTime, mode, uid, gid } = about;
    const attributes: Attributes = {
      inode,
      kind: 'file',
      size: text.length,
      links: 1,
      modTime,
      accessTime,
      changeTime,
      uid,
      gid,
      mode: mode & 0o444,
    };
    const file = this.#known.get(inode) ?? { parent, name, attributes, text, lookups: 0 };
    Object.assign(file, { attributes, text });
    file.lookups++;
    this.#known.set(inode, file);
    this.#inodes.set(key, inode);
    return attributes;
  }

  /** Rejects with `access-denied` if a name that was not found is that of a metadata file, otherwise with `thrown`. */
  async refuse(parent: Inode, name: string, thrown: unknown, op: Op): Promise<never> {
    await this.#describedBy(parent, name, thrown, op);
    throw unchangeable(name);
  }

  get(inode: Inode): MetadataFile {
    const file = this.#known.get(inode);
    if (file !== undefined) return file;
    throw new SyncerError('file-not-found', 'the metadata file was forgotten');
  }

  forget(inode: Inode, count: number): void {
    const file = this.#known.get(inode);
    if (file === undefined) return;
    file.lookups -= count;
    if (file.lookups > 0) return;
    this.#known.delete(inode);
    this.#inodes.delete(keyOf(file.parent, file.name));
  }

  open(inode: Inode, flags: OpenFlags) {
    const { name, text } = this.get(inode);
    if (flags.write || flags.truncate) throw unchangeable(name);
    const handle = this.#next++;
    this.#open.set(handle, text);
    return { handle, keepCache: false, directIo: false };
  }

  opened(handle: number): Buffer {
    return this.#open.get(handle) ?? Buffer.alloc(0);
  }

  release(handle: number): void {
    this.#open.delete(handle);
  }

  pathOf(inode: Inode): string | undefined {
    const file = this.#known.get(inode);
    const dir = file && this.#inner.pathOf(file.parent);
    return file === undefined || dir === undefined ? undefined : joinPath(dir, file.name);
  }

  async #describedBy(parent: Inode, name: string, thrown: unknown, op: Op): Promise<Attributes> {
    const about = describedPath(name, this.#extension);
    if (about === undefined || !hasCode(thrown, 'file-not-found')) throw thrown;
    const found = await this.#inner.lookup(parent, about, op).catch((missing) => {
      throw hasCode(missing, 'file-not-found') ? thrown : missing;
    });
    this.#inner.forget(found.inode, 1);
    return found;
  }
}

function keyOf(parent: Inode, name: string): string {
  return `${parent}/${name}`;
}
