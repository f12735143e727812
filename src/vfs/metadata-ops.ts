import { hasCode, SyncerError } from '../core/errors.ts';
import type { Op, Remote } from '../core/remote.ts';
import { joinPath } from '../core/remote-path.ts';
import { describedPath, metadataText, unchangeable } from '../go/metadata-text.ts';
import { type Attributes, type Inode, type MountOps, opsAbove } from './mount-ops.ts';

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
  /** Those that the kernel knows. */
  const known = new Map<Inode, MetadataFile>();
  /** Their inodes by the directory and the name. */
  const inodes = new Map<string, Inode>();
  /** What open files show, by handle. */
  const opened = new Map<number, Buffer>();
  let next = FIRST;
  const keyOf = (parent: Inode, name: string) => `${parent}/${name}`;
  const get = (inode: Inode): MetadataFile => {
    const file = known.get(inode);
    if (file !== undefined) return file;
    throw new SyncerError('file-not-found', 'the metadata file was forgotten');
  };
  /** What a metadata file of a name that was not found is about; for any other name, rejects with `thrown`. */
  const describedBy = async (parent: Inode, name: string, thrown: unknown, op: Op) => {
    const about = describedPath(name, extension);
    if (about === undefined || !hasCode(thrown, 'file-not-found')) throw thrown;
    const found = await inner.lookup(parent, about, op).catch((missing) => {
      throw hasCode(missing, 'file-not-found') ? thrown : missing;
    });
    inner.forget(found.inode, 1);
    return found;
  };
  /** Rejects with `access-denied` if a name that was not found is that of a metadata file, otherwise with `thrown`. */
  const refuse = async (parent: Inode, name: string, thrown: unknown, op: Op): Promise<never> => {
    await describedBy(parent, name, thrown, op);
    throw unchangeable(name);
  };
  const lookUpFile = async (parent: Inode, name: string, thrown: unknown, op: Op) => {
    const about = await describedBy(parent, name, thrown, op);
    const path = inner.pathOf(about.inode);
    const entry = path === undefined ? undefined : await remote.stat(path, op);
    const text = await metadataText(remote, entry, op);
    const key = keyOf(parent, name);
    const inode = inodes.get(key) ?? next++;
    const { modTime, accessTime, changeTime, uid, gid } = about;
    const times = { modTime, accessTime, changeTime };
    const own = {
      inode,
      kind: 'file',
      size: text.length,
      links: 1,
      mode: about.mode & 0o444,
    } as const;
    const attributes: Attributes = { ...own, ...times, uid, gid };
    const file = known.get(inode) ?? { parent, name, attributes, text, lookups: 0 };
    Object.assign(file, { attributes, text });
    file.lookups++;
    known.set(inode, file);
    inodes.set(key, inode);
    return attributes;
  };
  return opsAbove(inner, {
    lookup: (parent, name, op) =>
      inner.lookup(parent, name, op).catch((thrown) => lookUpFile(parent, name, thrown, op)),
    forget: (inode, count) => {
      if (inode < FIRST) return inner.forget(inode, count);
      const file = known.get(inode);
      if (file === undefined) return;
      file.lookups -= count;
      if (file.lookups > 0) return;
      known.delete(inode);
      inodes.delete(keyOf(file.parent, file.name));
    },
    getAttributes: async (inode, handle, op) =>
      inode < FIRST ? inner.getAttributes(inode, handle, op) : get(inode).attributes,
    setAttributes: async (inode, change, handle, op) => {
      if (inode >= FIRST) throw unchangeable(get(inode).name);
      return inner.setAttributes(inode, change, handle, op);
    },
    unlink: (parent, name, op) =>
      inner.unlink(parent, name, op).catch((thrown) => refuse(parent, name, thrown, op)),
    rename: (from, to, how, op) =>
      inner.rename(from, to, how, op).catch((thrown) => refuse(from.parent, from.name, thrown, op)),
    open: async (inode, flags, op) => {
      if (inode < FIRST) return inner.open(inode, flags, op);
      const { name, text } = get(inode);
      if (flags.write || flags.truncate) throw unchangeable(name);
      const handle = next++;
      opened.set(handle, text);
      return { handle, keepCache: false, directIo: false };
    },
    read: async (handle, offset, length, op) =>
      handle < FIRST
        ? inner.read(handle, offset, length, op)
        : (opened.get(handle) ?? Buffer.alloc(0)).subarray(offset, offset + length),
    flush: async (handle, op) => {
      if (handle < FIRST) await inner.flush(handle, op);
    },
    sync: async (handle, op) => {
      if (handle < FIRST) await inner.sync(handle, op);
    },
    release: async (handle, op) => {
      if (handle < FIRST) await inner.release(handle, op);
      else opened.delete(handle);
    },
    pathOf: (inode) => {
      if (inode < FIRST) return inner.pathOf(inode);
      const file = known.get(inode);
      const dir = file && inner.pathOf(file.parent);
      return file === undefined || dir === undefined ? undefined : joinPath(dir, file.name);
    },
  });
}
