import { absentIf, SyncerError } from '../core/errors.ts';
import type { Op } from '../core/remote.ts';
import { isStoredLink, LINK_SUFFIX, linkPathOf } from '../core/remote-path.ts';
import { nameError } from './change/make-and-remove.ts';
import {
  type AttributeChange,
  type Attributes,
  type CreatedFile,
  type EntryPlace,
  type Inode,
  type Invalidations,
  type ListedEntry,
  type MountOps,
  type OpenFlags,
  opsAbove,
  type RenameRule,
  ROOT_INODE,
} from './mount-ops.ts';

/** How many targets are kept. */
const TARGETS_KEPT = 10_000;
/** More than any target has, in bytes: an inode of Linux takes 4095. */
const MOST_READ = 8192;

/**
 * A file system with symbolic links above one without: a link `a` is the file `a.rclonelink`, as in rclone. If there is
 * also a file or directory `a`, that one is shown.
 *
 * @param linkPerms the permission bits of links, the umask already applied
 */
export function withLinks(inner: MountOps, linkPerms: number): MountOps {
  return opsAbove(inner, new LinkOps(inner, linkPerms));
}

/** For `withLinks`: also forgets the name under which the kernel has a link. */
export function invalidatesLinks(inner: Invalidations): Invalidations {
  return {
    inode: (inode) => inner.inode(inode),
    entry: (parent, name) => {
      inner.entry(parent, name);
      if (isStoredLink(name)) inner.entry(parent, linkPathOf(name));
    },
  };
}

class LinkOps implements Partial<MountOps> {
  readonly #inner: MountOps;
  readonly #linkPerms: number;
  /** Open directories, by handle. */
  readonly #dirs = new Map<number, Inode>();
  /** Targets by inode, least recently read first. */
  readonly #targets = new Map<Inode, { modTime: bigint; target: Uint8Array }>();

  constructor(inner: MountOps, linkPerms: number) {
    this.#inner = inner;
    this.#linkPerms = linkPerms;
  }

  /** The attributes of an inode, with the kind that the mount shows. */
  #shown(attributes: Attributes): Attributes {
    if (attributes.kind !== 'file') return attributes;
    const path = this.#inner.pathOf(attributes.inode);
    return path !== undefined && isStoredLink(path) ? this.#asLink(attributes) : attributes;
  }

  async lookup(parent: Inode, name: string, op: Op): Promise<Attributes> {
    const attributes = await this.#lookup(parent, name, op);
    if (attributes !== undefined) return attributes;
    throw nameError('file-not-found', name);
  }

  async getAttributes(inode: Inode, handle: number | undefined, op: Op): Promise<Attributes> {
    return this.#shown(await this.#inner.getAttributes(inode, handle, op));
  }

  async makeDir(parent: Inode, name: string, op: Op): Promise<Attributes> {
    await this.#requireNew(parent, name, op);
    return this.#inner.makeDir(parent, name, op);
  }

  async unlink(parent: Inode, name: string, op: Op): Promise<void> {
    const found = await this.#find(parent, name, op);
    return this.#inner.unlink(parent, found?.stored ?? name, op);
  }

  /** The entry of a name on the mount, and its name below; `undefined` if there is none. Counts no lookup. */
  async #find(parent: Inode, name: string, op: Op) {
    const found = await this.#lookup(parent, name, op);
    if (found === undefined) return undefined;
    this.#inner.forget(found.inode, 1);
    const { kind } = found;
    return { stored: kind === 'link' ? name + LINK_SUFFIX : name, kind };
  }

  /** Rejects with `name-invalid` for a name that would be a link's, and with `already-exists`. */
  async #requireNew(parent: Inode, name: string, op: Op): Promise<void> {
    requirePlain(name);
    if ((await this.#find(parent, name, op)) !== undefined) throw nameError('already-exists', name);
  }

  async setAttributes(
    inode: Inode,
    change: AttributeChange,
    handle: number | undefined,
    op: Op,
  ): Promise<Attributes> {
    return this.#shown(await this.#inner.setAttributes(inode, change, handle, op));
  }

  async create(parent: Inode, name: string, flags: OpenFlags, op: Op): Promise<CreatedFile> {
    requirePlain(name);
    const found = await this.#find(parent, name, op);
    // The kernel follows the links that it knows.
    if (found?.kind === 'link') throw nameError('already-exists', name);
    return this.#inner.create(parent, name, flags, op);
  }

  async makeLink(parent: Inode, name: string, target: Uint8Array, op: Op): Promise<Attributes> {
    await this.#requireNew(parent, name, op);
    const inner = this.#inner;
    const how = { read: false, write: true, truncate: true, exclusive: true };
    const { handle, attributes } = await inner.create(parent, name + LINK_SUFFIX, how, op);
    const { inode } = attributes;
    try {
      try {
        await inner.write(handle, 0, target, op);
        await inner.flush(handle, op);
      } finally {
        await inner.release(handle, op);
      }
      return this.#asLink(await inner.getAttributes(inode, undefined, op));
    } catch (thrown) {
      await inner.unlink(parent, name + LINK_SUFFIX, op).catch(() => {
        // The first error counts.
      });
      inner.forget(inode, 1);
      throw thrown;
    }
  }

  async readLink(inode: Inode, op: Op): Promise<Uint8Array> {
    const inner = this.#inner;
    const { modTime, size } = await inner.getAttributes(inode, undefined, op);
    const kept = this.#targets.get(inode);
    this.#targets.delete(inode);
    if (kept !== undefined && kept.modTime === modTime && kept.target.length === size) {
      this.#targets.set(inode, kept);
      return kept.target;
    }
    const how = { read: true, write: false, truncate: false, exclusive: false };
    const { handle } = await inner.open(inode, how, op);
    try {
      const target = Buffer.from(await inner.read(handle, 0, MOST_READ, op));
      this.#targets.set(inode, { modTime, target });
      for (const oldest of this.#targets.keys()) {
        if (this.#targets.size <= TARGETS_KEPT) break;
        this.#targets.delete(oldest);
      }
      return target;
    } finally {
      await inner.release(handle, op);
    }
  }

  async rename(from: EntryPlace, to: EntryPlace, how: RenameRule, op: Op): Promise<void> {
    requirePlain(to.name);
    const source = await this.#find(from.parent, from.name, op);
    if (source === undefined) throw nameError('file-not-found', from.name);
    const target = await this.#find(to.parent, to.name, op);
    if (target !== undefined && how === 'no-replace') throw nameError('already-exists', to.name);
    const isLink = source.kind === 'link';
    if (target?.kind === 'link' && source.kind === 'dir') {
      throw new SyncerError('not-a-directory', `${to.name}: is a link`, { path: to.name });
    }
    if (target?.kind === 'dir' && isLink) throw nameError('not-a-file', to.name);
    const stored = isLink ? to.name + LINK_SUFFIX : to.name;
    const old = { parent: from.parent, name: source.stored };
    await this.#inner.rename(old, { parent: to.parent, name: stored }, how, op);
    // A file that replaces a link, or the reverse: the replaced one has another name.
    if (target === undefined || target.stored === stored) return;
    await this.#inner.unlink(to.parent, target.stored, op);
  }

  async openDir(inode: Inode, op: Op): Promise<number> {
    const handle = await this.#inner.openDir(inode, op);
    this.#dirs.set(handle, inode);
    return handle;
  }

  async readDir(handle: number, from: number, op: Op): Promise<readonly ListedEntry[]> {
    for (let at = from; ; ) {
      const listed = await this.#inner.readDir(handle, at, op);
      const last = listed.at(-1);
      if (last === undefined) return [];
      const shown: ListedEntry[] = [];
      for (const entry of listed) {
        const { name, attributes } = entry;
        if (attributes.kind !== 'file' || !isStoredLink(name)) shown.push(entry);
        else {
          const plain = linkPathOf(name);
          const parent = this.#dirs.get(handle) ?? ROOT_INODE;
          const hides = isStoredLink(plain)
            ? undefined
            : await this.#innerLookup(parent, plain, op);
          if (hides !== undefined) {
            this.#inner.forget(hides.inode, 1);
            continue;
          }
          shown.push({ ...entry, name: plain, attributes: this.#asLink(attributes) });
        }
      }
      if (shown.length > 0) return shown;
      at = last.next;
    }
  }

  releaseDir(handle: number): void {
    this.#dirs.delete(handle);
    this.#inner.releaseDir(handle);
  }

  #asLink(attributes: Attributes): Attributes {
    return { ...attributes, kind: 'link', mode: this.#linkPerms };
  }

  async #lookup(parent: Inode, name: string, op: Op): Promise<Attributes | undefined> {
    if (!isStoredLink(name)) {
      const plain = await this.#innerLookup(parent, name, op);
      if (plain !== undefined) return plain;
    }
    const stored = await this.#innerLookup(parent, name + LINK_SUFFIX, op);
    if (stored === undefined || stored.kind === 'file') return stored && this.#asLink(stored);
    this.#inner.forget(stored.inode, 1);
    return undefined;
  }

  #innerLookup(parent: Inode, name: string, op: Op): Promise<Attributes | undefined> {
    return this.#inner.lookup(parent, name, op).catch(absentIf('file-not-found'));
  }
}

function requirePlain(name: string): void {
  if (!isStoredLink(name)) return;
  const text = `${name}: names that end with ${LINK_SUFFIX} are those of symbolic links: create a link`;
  throw new SyncerError('name-invalid', text, { path: name });
}
