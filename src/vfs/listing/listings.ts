import { abortable } from '../../core/context.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import type { Entry, Op, Page } from '../../core/remote.ts';
import { Loading } from '../tree/known-listing.ts';
import { type DirNode, type Node, pathIn, pathOf } from '../tree/node.ts';
import type { Tree } from '../tree/tree.ts';
import type { KnownDirs, VfsParts } from '../vfs-parts.ts';
import { applyListing, isKept, isShown, mergeEntry } from './apply-listing.ts';

/** How many names are requested one by one before a large directory is listed as a whole. */
const ASKED_BEFORE_LISTING = 16;

/**
 * The known entries of the directories of a mount: listed once, shared by all callers, and valid for
 * `--dir-cache-time`.
 */
export class Listings implements KnownDirs {
  readonly #vfs: VfsParts;
  /** Directories with known entries, least recently requested first. */
  readonly #known = new Set<DirNode>();

  constructor(vfs: VfsParts) {
    this.#vfs = vfs;
  }

  /** How many directories have known entries. */
  get size(): number {
    return this.#known.size;
  }

  /** Whether the whole listing of a directory is known and not too old. */
  isFresh(dir: DirNode): boolean {
    return this.#isValid(dir.listing.listedAt);
  }

  /** Whether what was read at a time is valid. */
  #isValid(at: number): boolean {
    return this.#vfs.clock.monotonic() - at < this.#vfs.options.dirCacheTime;
  }

  /** The node of a name, without a request: `undefined` if there is none, `unknown` if a request is needed. */
  #findKnown(dir: DirNode, name: string): Node | undefined | 'unknown' {
    if (this.isFresh(dir)) return this.#findListed(dir, name);
    const exact = dir.children.get(name);
    if (exact === undefined) return 'unknown';
    const checkedAt = dir.listing.checkedAt(name);
    if (checkedAt !== undefined && this.#isValid(checkedAt)) return exact;
    // The remote does not have it yet.
    const isOurs = exact.kind === 'dir' ? exact.isVirtual : exact.mayBeDirty && exact.isOpen;
    return isOurs ? exact : 'unknown';
  }

  /** The node of a name in a directory whose listing was read. */
  #findListed(dir: DirNode, name: string): Node | undefined {
    const exact = dir.children.get(name);
    return exact !== undefined || !this.#vfs.ignoresCase ? exact : dir.children.spelt(name);
  }

  async find(dir: DirNode, name: string, op: Op): Promise<Node | undefined> {
    const known = this.#findKnown(dir, name);
    if (known !== 'unknown') return known;
    return this.#vfs.locks.use([dir], op, () => this.findHeld(dir, name, op));
  }

  async findHeld(dir: DirNode, name: string, op: Op): Promise<Node | undefined> {
    for (;;) {
      const known = this.#findKnown(dir, name);
      if (known !== 'unknown') return known;
      requirePlace(this.#vfs.tree, dir);
      if (this.#asksOneByOne(dir)) {
        this.#known.add(dir);
        return lookUpOne(this.#vfs, dir, name, op);
      }
      // The listing is valid for this call even if it is for no other.
      if (await this.#share(dir, this.#vfs.ignoresCase, op)) return this.#findListed(dir, name);
    }
  }

  /** Reads the whole listing of a directory. Rejects if any of it cannot be read. */
  async listAll(dir: DirNode, op: Op): Promise<void> {
    if (this.isFresh(dir)) return;
    await this.#vfs.locks.use([dir], op, async () => {
      requirePlace(this.#vfs.tree, dir);
      if (!this.isFresh(dir)) await this.#share(dir, true, op);
    });
  }

  knowEmpty(dir: DirNode): void {
    dir.listing.createdAt(this.#vfs.clock.monotonic());
    this.#known.add(dir);
  }

  refresh(): void {
    for (const dir of this.#known) dir.listing.expire();
  }

  /** Frees expired listings. */
  sweep(): void {
    for (const dir of this.#known) {
      if (this.#forgetExpired(dir)) this.#known.delete(dir);
    }
  }

  /** Drops an unused node, and then the directories above it, unless a valid listing holds them. */
  forgetUnused(node: Node): void {
    for (let at: Node = node; at.parent !== undefined; ) {
      const { parent }: { parent: DirNode } = { parent: at.parent };
      const counts = this.isFresh(parent) || parent.listing.checkedAt(at.name) !== undefined;
      if (counts || parent.listing.loading !== undefined || !isUnused(this.#vfs, at)) return;
      this.#vfs.tree.detach(at);
      at = parent;
    }
  }

  /** Frees an expired listing. `true` if nothing is left that can expire. */
  #forgetExpired(dir: DirNode): boolean {
    const { tree, nodeLimit, invalidations } = this.#vfs;
    if (!tree.has(dir)) return true;
    if (this.isFresh(dir) || dir.listing.loading !== undefined || dir.isRead) return false;
    const isChecked = dir.listing.expireChecks((at) => this.#isValid(at));
    const asksBack = tree.size > nodeLimit / 2;
    for (const node of [...dir.children.nodes()]) {
      if (dir.listing.checkedAt(node.name) !== undefined) continue;
      if (isUnused(this.#vfs, node)) tree.detach(node);
      else if (asksBack && node.kind === 'file' && !node.isOpen) {
        invalidations.entry(dir.inode, node.name);
      }
    }
    dir.children.trim();
    if (isChecked) return false;
    this.forgetUnused(dir);
    return true;
  }

  #asksOneByOne(dir: DirNode): boolean {
    const { remote, ignoresCase } = this.#vfs;
    if (ignoresCase || !(dir.listing.isLarge || remote.traits.onDisk)) return false;
    const isEnough = dir.listing.asks() > ASKED_BEFORE_LISTING;
    if (isEnough && dir.listing.loading === undefined) {
      this.#vfs.locks
        .use([dir], this.#vfs, () => this.#load(dir, true))
        .catch(() => {
          // The caller that needs the listing gets the error.
        });
    }
    return true;
  }

  /** Waits for the running listing, or a new one; if one that another caller started fails, reads it again. */
  async #share(dir: DirNode, wantsAll: boolean, op: Op): Promise<boolean> {
    // One that started before a failed change does not show its outcome.
    while (dir.listing.loading?.isTrusted === false) {
      await abortable(dir.listing.loading.done, op.signal).catch(() => op.signal.throwIfAborted());
    }
    const isOthers = dir.listing.loading !== undefined;
    try {
      return await abortable(this.#load(dir, wantsAll), op.signal);
    } catch (thrown) {
      if (!isOthers || op.signal.aborted) throw thrown;
      requirePlace(this.#vfs.tree, dir);
      return abortable(this.#load(dir, wantsAll), op.signal);
    }
  }

  #load(dir: DirNode, wantsAll: boolean): Promise<boolean> {
    const running = dir.listing.loading;
    if (running !== undefined) {
      if (wantsAll) running.wantAll();
      return running.done;
    }
    const letGo = this.#vfs.locks.holdOn(dir);
    const read = (loading: Loading) =>
      this.#read(dir, loading).finally(() => {
        dir.listing.loaded();
        letGo();
      });
    const loading = new Loading(wantsAll, read);
    dir.listing.loads(loading);
    return loading.done;
  }

  async #read(dir: DirNode, loading: Loading): Promise<boolean> {
    const startedAt = this.#vfs.clock.monotonic();
    // With too many nodes, those of the oldest listings are dropped before they expire.
    let tooMany = this.#vfs.tree.size - this.#vfs.nodeLimit;
    for (const old of this.#known) {
      if (tooMany <= 0) break;
      if (old.isRead || old.listing.loading !== undefined) continue;
      tooMany -= old.children.size;
      old.listing.expire();
      if (this.#forgetExpired(old)) this.#known.delete(old);
    }
    return dir.changes.duringRead(async (own) => {
      const entries = await readListing(this.#vfs, dir, loading);
      if (entries === undefined) {
        dir.listing.foundLarge();
        return false;
      }
      requirePlace(this.#vfs.tree, dir);
      applyListing(this.#vfs, dir, entries, own);
      dir.listing.listed(loading.isTrusted ? startedAt : Number.NEGATIVE_INFINITY);
      this.#known.delete(dir);
      this.#known.add(dir);
      return true;
    });
  }
}

/** Throws `directory-not-found` if a directory has no place in the tree any more. */
function requirePlace(tree: Tree, dir: DirNode): void {
  if (tree.has(dir)) return;
  const path = pathOf(dir);
  throw new SyncerError('directory-not-found', `${path}: the directory is gone`, { path });
}

/** Requests one name of a directory that is too large to list. */
async function lookUpOne(
  vfs: VfsParts,
  dir: DirNode,
  name: string,
  op: Op,
): Promise<Node | undefined> {
  const path = pathIn(dir, name);
  const askedAt = vfs.clock.monotonic();
  return dir.changes.duringRead(async (own) => {
    const check = dir.listing.checking();
    const entry = await vfs.remote.stat(path, op);
    if (own.has(name)) return own.get(name);
    const old = dir.children.get(name);
    if (entry === undefined || !isShown(vfs, dir, name, entry)) return absent(vfs, dir, name, old);
    const node = mergeEntry(vfs, dir, name, old, entry);
    if (vfs.contents.pending(path) !== undefined && node.kind === 'file') node.wrote();
    if (node !== old) vfs.tree.attach(dir, name, node);
    if (node !== old && old !== undefined && old.lookups > 0) {
      vfs.invalidations.entry(dir.inode, name);
    }
    check(name, askedAt);
    return node;
  });
}

function absent(
  vfs: VfsParts,
  dir: DirNode,
  name: string,
  old: Node | undefined,
): Node | undefined {
  if (old !== undefined && isKept(vfs, old)) {
    if (old.kind === 'file') old.foundAs(undefined);
    return old;
  }
  if (old !== undefined) vfs.tree.detach(old);
  if (vfs.contents.pending(pathIn(dir, name)) === undefined) return undefined;
  const node = vfs.tree.newFile(dir, name, undefined);
  node.wrote();
  vfs.tree.attach(dir, name, node);
  return node;
}

/** How often a listing in pages is read again if it changed while it was read. */
const TRIES = 3;

/**
 * All entries of a directory; `undefined` if there are more pages and the caller does not need them. Rejects if any
 * page fails: unread pages never count as empty.
 */
async function readListing(
  { remote, signal }: VfsParts,
  dir: DirNode,
  loading: Loading,
): Promise<readonly Entry[] | undefined> {
  const path = pathOf(dir);
  const op = { signal };
  try {
    for (let tries = 1; ; tries++) {
      const isComplete = dir.changes.watchDeletions();
      const first = await remote.listPage(path, undefined, op);
      if (first.cursor === undefined) return first.entries;
      if (!loading.wantsAll) return undefined;
      const entries = [...first.entries];
      for (let cursor: string | undefined = first.cursor; cursor !== undefined; ) {
        const page: Page = await remote.listPage(path, cursor, op);
        for (const entry of page.entries) entries.push(entry);
        cursor = page.cursor;
      }
      if (isComplete()) return entries;
      // Remotes that continue by a count omit entries if others were deleted.
      if (tries < TRIES) continue;
      loading.distrust();
      return entries;
    }
  } catch (thrown) {
    // A new, empty directory may be missing on the remote.
    if (dir.isVirtual && hasCode(thrown, 'directory-not-found')) return [];
    throw thrown;
  }
}

/** Whether neither the kernel nor a running call uses a node, and the remote can list it again. */
function isUnused({ locks }: VfsParts, node: Node): boolean {
  if (node.lookups > 0) return false;
  if (node.kind === 'file') return !node.mayBeDirty && !node.isOpen;
  const holds = node.children.size > 0 || node.hasLeftovers;
  return !node.isRead && !locks.isBusy(node) && !holds && !node.isVirtual;
}
