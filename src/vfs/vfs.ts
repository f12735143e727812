import type { ChangedItem } from '../core/changes.ts';
import { abortable } from '../core/context.ts';
import type { About } from '../core/entry-details.ts';
import { hasCode, SyncerError } from '../core/errors.ts';
import type { Op, Remote } from '../core/remote.ts';
import { listDir } from '../core/remote-calls.ts';
import { attributesOf, FileTimes, setAttributes } from './attributes/attributes-of.ts';
import { makeDir, nameError, removeDir, unlink } from './change/make-and-remove.ts';
import { rename } from './change/rename.ts';
import type { ContentsState } from './contents/file-contents.ts';
import type { Listings } from './listing/listings.ts';
import { WalkAhead } from './listing/walk-ahead.ts';
import {
  type AttributeChange,
  type Attributes,
  type CreatedFile,
  type EntryPlace,
  type Inode,
  type ListedEntry,
  type MountOps,
  NAME_LENGTH,
  type OpenedFile,
  type OpenFlags,
  type RenameRule,
  type Space,
  type WritePosition,
} from './mount-ops.ts';
import { Leftovers } from './open/leftovers.ts';
import {
  closeFile,
  createFile,
  DirHandle,
  handleOf,
  howOpened,
  openFile,
} from './open/open-node.ts';
import { type Node, pathOf } from './tree/node.ts';
import { Handles, type VfsParts } from './vfs-parts.ts';

/** The shortest interval between two sweeps. */
const SWEEP_MS = 30_000;

/** A remote as a file system. See `MountOps`. */
export class Vfs implements MountOps {
  readonly #vfs: VfsParts;
  readonly #life: AbortController;
  readonly #listings: Listings;
  readonly #ahead: WalkAhead;
  readonly #times: FileTimes;
  readonly #space: SpaceOf;
  readonly #leftovers: Leftovers;
  readonly #dirs = new Handles<DirHandle>();

  /** @param life aborted at the end of the file system */
  constructor(parts: VfsParts, listings: Listings, life: AbortController) {
    this.#vfs = parts;
    this.#life = life;
    this.#listings = listings;
    this.#ahead = new WalkAhead(parts, this.#listings);
    this.#times = new FileTimes(parts);
    this.#space = new SpaceOf(parts);
    this.#leftovers = new Leftovers(parts);
    void pollChanges(parts);
    if (parts.options.refresh) void this.#ahead.all();
    void this.#sweepNowAndThen();
  }

  /** What `syncer mounts` shows. */
  state(): ContentsState {
    return this.#vfs.contents.state();
  }

  /** How many directories, and how many files and directories, are in memory. */
  get known(): { readonly dirs: number; readonly nodes: number } {
    return { dirs: this.#listings.size, nodes: this.#vfs.tree.size };
  }

  /** Uploads pending files, and keeps serving. Rejects with the signal's reason. */
  drain(op: Op): Promise<void> {
    return this.#vfs.contents.drain(op);
  }

  /** Expires all that is known of the remote, for SIGHUP. */
  refresh(): void {
    this.#listings.refresh();
  }

  async lookup(parent: Inode, name: string, op: Op): Promise<Attributes> {
    const dir = this.#vfs.tree.dir(parent);
    for (;;) {
      const node = await this.#listings.find(dir, name, op);
      if (node === undefined) throw nameError('file-not-found', name);
      const learning = this.#learn(node, op);
      if (learning !== undefined) await learning;
      // It was forgotten during the wait.
      if (node.parent === undefined) continue;
      node.lookedUp();
      return attributesOf(this.#vfs, node);
    }
  }

  forget(inode: Inode, count: number): void {
    const node = this.#vfs.tree.forget(inode, count);
    if (node !== undefined) this.#listings.forgetUnused(node);
  }

  remember(inode: Inode): void {
    this.#vfs.tree.remember(inode);
  }

  async getAttributes(inode: Inode, handle: number | undefined, op: Op): Promise<Attributes> {
    const node = this.#vfs.tree.node(inode);
    if (handle === undefined && node.parent !== undefined) {
      const there = await this.#listings.find(node.parent, node.name, op);
      const isGone = there !== node && node.parent !== undefined;
      if (isGone) throw nameError('file-not-found', node.name);
    }
    await this.#learn(node, op);
    return attributesOf(this.#vfs, node);
  }

  async setAttributes(
    inode: Inode,
    change: AttributeChange,
    handle: number | undefined,
    op: Op,
  ): Promise<Attributes> {
    const node = this.#vfs.tree.node(inode);
    const file = handle === undefined ? undefined : handleOf(this.#vfs, handle);
    await setAttributes(this.#vfs, node, change, file?.canWrite ? file : undefined, op);
    return this.getAttributes(inode, handle, op);
  }

  async makeDir(parent: Inode, name: string, op: Op): Promise<Attributes> {
    const node = await makeDir(this.#vfs, this.#vfs.tree.dir(parent), name, op);
    node.lookedUp();
    return attributesOf(this.#vfs, node);
  }

  removeDir(parent: Inode, name: string, op: Op): Promise<void> {
    return removeDir(this.#vfs, this.#vfs.tree.dir(parent), name, op);
  }

  unlink(parent: Inode, name: string, op: Op): Promise<void> {
    const dir = this.#vfs.tree.dir(parent);
    return unlink(this.#vfs, this.#leftovers, dir, name, op);
  }

  rename(from: EntryPlace, to: EntryPlace, how: RenameRule, op: Op): Promise<void> {
    const at = ({ parent, name }: EntryPlace) => ({ dir: this.#vfs.tree.dir(parent), name });
    return rename(this.#vfs, { from: at(from), to: at(to), how }, op);
  }

  async open(inode: Inode, flags: OpenFlags, op: Op): Promise<OpenedFile> {
    const node = this.#vfs.tree.file(inode);
    return howOpened(this.#vfs, await openFile(this.#vfs, this.#times, node, flags, op));
  }

  async create(parent: Inode, name: string, flags: OpenFlags, op: Op): Promise<CreatedFile> {
    const dir = this.#vfs.tree.dir(parent);
    const handle = await createFile(this.#vfs, dir, name, flags, op);
    const node = this.#vfs.files.get(handle);
    node.lookedUp();
    return { ...howOpened(this.#vfs, handle), attributes: attributesOf(this.#vfs, node) };
  }

  read(handle: number, offset: number, length: number, op: Op): Promise<Uint8Array> {
    return handleOf(this.#vfs, handle).read(offset, length, op);
  }

  write(handle: number, at: WritePosition, data: Uint8Array, op: Op): Promise<void> {
    this.#vfs.files.get(handle).wrote();
    return handleOf(this.#vfs, handle).write(at, data, op);
  }

  flush(handle: number, op: Op): Promise<void> {
    return handleOf(this.#vfs, handle).flush(op);
  }

  sync(handle: number, op: Op): Promise<void> {
    return handleOf(this.#vfs, handle).sync(op);
  }

  release(handle: number, op: Op): Promise<void> {
    return closeFile(this.#vfs, this.#leftovers, handle, op);
  }

  async openDir(inode: Inode, op: Op): Promise<number> {
    const dir = this.#vfs.tree.dir(inode);
    await this.#listings.listAll(dir, op);
    dir.opened();
    this.#ahead.opened(dir);
    return this.#dirs.add(new DirHandle(this.#vfs, dir));
  }

  async readDir(handle: number, from: number, op: Op): Promise<readonly ListedEntry[]> {
    const opened = this.#dirs.get(handle);
    if (from === 0 && opened.wasRead) await this.#listings.listAll(opened.dir, op);
    return opened.read(from);
  }

  releaseDir(handle: number): void {
    const opened = this.#dirs.take(handle);
    opened?.dir.closed();
  }

  pathOf(inode: Inode): string | undefined {
    const { tree } = this.#vfs;
    const node = tree.find(inode);
    if (node === undefined || (node.parent === undefined && node !== tree.root)) return undefined;
    return pathOf(node);
  }

  space(op: Op): Promise<Space> {
    return this.#space.read(op);
  }

  async close(op: Op): Promise<void> {
    try {
      await this.#leftovers.removeAll(op);
      await this.#vfs.contents.finish(op);
    } finally {
      this.#life.abort(new SyncerError('interrupted', 'the mount was closed'));
      await this.#vfs.contents.close();
    }
  }

  #learn(node: Node, op: Op): Promise<void> | undefined {
    return node.kind === 'file' ? this.#times.learn(node, op) : undefined;
  }

  async #sweepNowAndThen(): Promise<void> {
    const { clock, options, signal } = this.#vfs;
    const ms = Math.max(1000, Math.min(options.dirCacheTime, SWEEP_MS));
    while (!signal.aborted) {
      await clock.sleep(ms, signal).catch(() => {});
      this.#listings.sweep();
    }
  }
}

/**
 * Requests the changes of the remote every `--poll-interval`, if it supports that, until the file system is closed;
 * changed directories are listed again on demand. Never rejects.
 */
async function pollChanges(vfs: VfsParts): Promise<void> {
  const { remote, options, clock, signal, log } = vfs;
  const { changes } = remote.can;
  if (changes === undefined || options.pollInterval <= 0) return;
  let token: string | undefined;
  while (!signal.aborted) {
    try {
      const told = await changes(token, { signal });
      if (token !== undefined) forgetChanged(vfs, told.items);
      token = told.token;
    } catch (thrown) {
      if (signal.aborted || hasCode(thrown, 'unsupported')) return;
      log('poll', '', thrown);
    }
    await clock.sleep(options.pollInterval, signal).catch(() => {});
  }
}

/** Expires the known state of these items and their parents; `undefined`: of everything. */
function forgetChanged(vfs: VfsParts, items: readonly ChangedItem[] | undefined): void {
  if (items === undefined) vfs.listings.refresh();
  if (items === undefined || items.length === 0) return;
  const ids = new Set(items.map(({ id }) => id));
  const parents = new Set(items.flatMap(({ parentId }) => parentId ?? []));
  for (const node of vfs.tree.all()) {
    const id = node === vfs.tree.root ? '' : node.entry?.id;
    // A directory created here has no ID yet: it may be any of them.
    if (id === undefined && node.kind === 'dir') node.listing.expire();
    if (id === undefined) continue;
    if (node.kind === 'dir' && parents.has(id)) node.listing.expire();
    if (!ids.has(id) || node.parent === undefined) continue;
    node.parent.listing.expire();
    if (node.lookups > 0) vfs.invalidations.entry(node.parent.inode, node.name);
  }
}

/** The space of a remote that reports none: 1 PiB. */
const UNKNOWN = 2 ** 50;
const BLOCK_SIZE = 4096;
/** The inodes of a remote that does not count its files. */
const FILES = 1e9;

/** The space of a mount for statfs(2), requested from the remote as often as directories are listed. */
class SpaceOf {
  readonly #vfs: VfsParts;
  #about: Promise<About> | undefined;
  #askedAt = 0;

  constructor(vfs: VfsParts) {
    this.#vfs = vfs;
  }

  /** The space of the remote, as far as it reports it. */
  async read(op: Op): Promise<Space> {
    const { total, used, free } = await abortable(this.#ask(), op.signal);
    const both = used === undefined || free === undefined ? undefined : used + free;
    const all = this.#vfs.options.diskSpaceTotal ?? total ?? both ?? UNKNOWN;
    const known = this.#vfs.options.diskSpaceTotal === undefined ? free : undefined;
    const left = known ?? Math.max(0, all - (used ?? 0));
    const waiting = this.#vfs.contents.state().pendingBytes;
    const rest = Math.max(0, Math.min(all, left) - waiting);
    return { total: all, free: rest, files: FILES, blockSize: BLOCK_SIZE, nameLength: NAME_LENGTH };
  }

  #ask(): Promise<About> {
    const { clock, options, remote, signal, log } = this.#vfs;
    const now = clock.monotonic();
    if (this.#about !== undefined && now - this.#askedAt < options.dirCacheTime) return this.#about;
    this.#askedAt = now;
    const asked = options.usedIsSize
      ? usedBelow(remote, { signal })
      : (remote.can.about?.({ signal }) ?? Promise.resolve({}));
    this.#about = asked.catch((thrown) => {
      if (!hasCode(thrown, 'unsupported')) log('ask-space', '', thrown);
      return {};
    });
    return this.#about;
  }
}

/** The size of all files, from a listing. */
async function usedBelow(remote: Remote, op: Op): Promise<About> {
  const about = (await remote.can.about?.(op)) ?? {};
  const dirs = [''];
  let used = 0;
  for (const dir of dirs) {
    for await (const entries of listDir(remote, dir, op, () => {})) {
      for (const entry of entries) {
        if (entry.kind === 'dir') dirs.push(entry.path);
        else used += Math.max(0, entry.size);
      }
    }
  }
  const { total } = about;
  return total === undefined ? { used } : { total, used, free: Math.max(0, total - used) };
}
