import { hasCode, SyncerError } from '../../core/errors.ts';
import { modTimeFromMs } from '../../core/mod-time.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { isWithin, parentPath } from '../../core/remote-path.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';
import type { DiskCache } from './disk-cache.ts';
import type {
  ContentAccess,
  ContentsState,
  FileContents,
  OnRemote,
  OpenContent,
  PendingFile,
} from './file-contents.ts';
import { NameChanges } from './name-changes.ts';
import { openFile } from './open-file.ts';
import { type NodeParts, OpenNode } from './open-node.ts';
import { sameContent } from './same-content.ts';
import type { UploadCounts } from './upload-queue.ts';
import type { UploadRules } from './upload-source.ts';
import type { Uploaded } from './uploaded.ts';

/** What the contents of a mount are made of. */
export interface ContentsParts {
  readonly kit: ContentsKit;
  readonly rules: UploadRules;
  readonly cache: DiskCache | undefined;
  readonly uploaded: Uploaded;
  /** Gives back the lock, ends what runs in the background. */
  readonly closed: () => Promise<void>;
}

/** The contents of a mount: all that are open, and all that the cache on disk holds. */
export class Contents implements FileContents {
  readonly #parts: ContentsParts;
  readonly #nodeParts: NodeParts;
  readonly #cache: DiskCache | undefined;
  /** Those that are open and have a name. */
  readonly #nodes = new Map<string, OpenNode>();
  readonly #names: NameChanges;
  #isClosed = false;

  constructor(parts: ContentsParts) {
    const { kit, rules, cache, uploaded } = parts;
    this.#parts = parts;
    this.#cache = cache;
    this.#nodeParts = { kit, rules, cache, uploaded: (path, entry) => uploaded.tell(path, entry) };
    const arrived = uploaded.tell.bind(uploaded);
    this.#names = new NameChanges(kit, cache, this.#nodes, arrived);
    uploaded.on((path, entry) => {
      const node = this.#nodes.get(path);
      if (node !== undefined && node.base !== entry && !node.isDirty) void node.rebase(entry);
    });
  }

  async open(
    path: string,
    entry: FileEntry | undefined,
    access: ContentAccess,
    op: Op,
  ): Promise<OpenContent> {
    const { options } = this.#parts.kit;
    if (access.write && options.readOnly) {
      throw new SyncerError('read-only', `${path}: the mount is read-only`, { path });
    }
    const node = this.#nodeFor(path, entry);
    node.handles++;
    if (access.write) node.writers++;
    let isReleased = false;
    const release = async (closing: Op) => {
      if (isReleased) return;
      isReleased = true;
      await node.inTurn(() => this.#release(node, access, closing));
    };
    try {
      await node.inTurn(() => this.#prepare(node, path, access));
    } catch (thrown) {
      await release(op).catch(() => undefined);
      throw thrown;
    }
    return openFile(node, access, options.noSeek, release);
  }

  pending(path: string): PendingFile | undefined {
    const node = this.#nodes.get(path);
    if (node?.isDirty === true) return { path, size: node.size(), modTime: node.modTime() };
    const file = this.#cache?.find(path);
    return file?.isDirty === true ? pendingOf(file, path) : undefined;
  }

  *pendingIn(dir: string): Iterable<PendingFile> {
    for (const file of this.#cache?.dirty.in(dir) ?? []) {
      if (file.path !== undefined) yield pendingOf(file, file.path);
    }
    for (const [path, node] of this.#nodes) {
      if (node.stream?.isDirty !== true || parentPath(path) !== dir) continue;
      yield { path, size: node.size(), modTime: node.modTime() };
    }
  }

  *pendingBelow(dir: string): Iterable<PendingFile> {
    for (const file of this.#cache?.dirty.all() ?? []) {
      if (file.path !== undefined && isBelow(dir, file.path)) yield pendingOf(file, file.path);
    }
    for (const [path, node] of this.#nodes) {
      if (node.stream?.isDirty !== true || !isBelow(dir, path)) continue;
      yield { path, size: node.size(), modTime: node.modTime() };
    }
  }

  hold(path: string, op: Op): Promise<() => void> {
    return this.#names.hold(path, op);
  }

  async setModTime(path: string, modTime: bigint): Promise<boolean> {
    const node = this.#nodes.get(path);
    if (node !== undefined && node.writers > 0) {
      node.setModTime(modTime);
      return true;
    }
    const file = node?.cached ?? this.#cache?.find(path);
    if (file?.isDirty !== true) return false;
    file.setModTime(modTime);
    await this.#commitAndSchedule(file);
    return true;
  }

  async truncate(path: string, entry: FileEntry | undefined, size: number, op: Op): Promise<void> {
    const access = { read: false, write: true, truncate: size === 0 };
    const file = await this.open(path, entry, access, op);
    try {
      if (size !== 0) await file.truncate(size, op);
      await file.flush(op);
    } finally {
      await file.release(op);
    }
  }

  renamed(from: string, to: string, onRemote: OnRemote = 'moved'): Promise<boolean> {
    return this.#names.renamed(from, to, onRemote);
  }

  bringHere(path: string, op: Op): Promise<boolean> {
    return this.#names.bringHere(path, op);
  }

  dirRenamed(from: string, to: string): Promise<void> {
    return this.#names.dirRenamed(from, to);
  }

  removed(path: string): Promise<boolean> {
    return this.#names.removed(path);
  }

  changed(path: string, entry: FileEntry | undefined): void {
    const node = this.#nodes.get(path);
    const file = node?.cached ?? this.#cache?.find(path);
    if (node?.isDirty === true || file?.isDirty === true) return;
    const base = node?.base ?? file?.base;
    const { options, remote } = this.#parts.kit;
    const isFast = options.fastFingerprint && remote.traits.slowModTime;
    if (entry !== undefined && base !== undefined && sameContent(base, entry, isFast)) {
      if (node !== undefined) node.base = entry;
      if (file !== undefined) file.base = entry;
      return;
    }
    if (node !== undefined && node.writers > 0) return;
    // Who has the old version open reads it, or an error, but never a mixture with the new one.
    if (node !== undefined) this.#nodes.delete(path);
    void file?.discard().catch(() => undefined);
  }

  state(): ContentsState {
    const cache = this.#cache;
    const { waiting, running, failed } = this.#uploadCounts();
    return {
      uploadsWaiting: waiting,
      uploadsRunning: running,
      uploadsFailed: failed,
      pendingBytes: cache?.pendingBytes() ?? 0,
      // Only for those who look: it is asked of all files.
      get cachedBytes() {
        return cache?.bytes() ?? 0;
      },
      cachedFiles: cache?.count() ?? 0,
    };
  }

  onUploaded(listener: (path: string, entry: FileEntry) => void): void {
    this.#parts.uploaded.on(listener);
  }

  async drain(op: Op): Promise<void> {
    await this.#cache?.uploads.drain(op);
  }

  async finish(op: Op): Promise<void> {
    const nodes = [...this.#nodes.values()];
    const ends = nodes.map((node) => node.inTurn(() => node.abandon(op)));
    const failed = (await Promise.allSettled(ends)).find((end) => end.status === 'rejected');
    await this.drain(op);
    if (failed !== undefined) throw failed.reason;
  }

  async close(): Promise<void> {
    await this.#cache?.uploads.close();
    for (const node of this.#nodes.values()) {
      await node.stream?.stop();
      await node.cached?.commit().catch(() => undefined);
      await node.close();
    }
    this.#nodes.clear();
    this.#isClosed = true;
    await this.#cache?.safety.idle();
    await this.#parts.closed();
  }

  #uploadCounts(): UploadCounts {
    const cache = this.#cache;
    if (cache === undefined) return { waiting: 0, running: 0, failed: 0 };
    if (!this.#isClosed) return cache.uploads.counts();
    return { waiting: [...cache.dirty.all()].length, running: 0, failed: 0 };
  }

  /** The node that is open, or a new one. */
  #nodeFor(path: string, entry: FileEntry | undefined): OpenNode {
    if (entry !== undefined) this.changed(path, entry);
    const open = this.#nodes.get(path);
    if (open !== undefined) return open;
    const local = this.#cache?.find(path);
    const isNewer = local?.isDirty === true;
    if (local !== undefined && !isNewer && entry === undefined) {
      void local.discard().catch(() => undefined);
    }
    const node = new OpenNode(this.#nodeParts, path, isNewer ? local.base : entry);
    this.#nodes.set(path, node);
    return node;
  }

  async #prepare(node: OpenNode, path: string, access: ContentAccess): Promise<void> {
    if (node.cached === undefined && node.stream === undefined) {
      const file = this.#cacheFor(path, node, access);
      if (file !== undefined) await this.#goThrough(node, file, path);
    }
    if (!access.write) return;
    if (node.cached === undefined) {
      const isKept = node.stream === undefined && node.base !== undefined && !access.truncate;
      if (access.read && isKept) throw cannotWrite(path);
      node.toStream();
    }
    if (access.truncate) await node.truncate(0);
    else if (node.base === undefined && node.cached?.isDirty === false) await node.cached.touch();
  }

  /** The file of the cache through which this way of opening goes; `undefined` where it does not. */
  #cacheFor(path: string, node: OpenNode, access: ContentAccess): CachedFile | undefined {
    const cache = this.#cache;
    if (cache === undefined) return undefined;
    const found = cache.find(path);
    if (found?.isDirty === true) return found;
    const { cacheMode } = this.#parts.kit.options;
    const isWanted =
      cacheMode === 'full' ||
      (cacheMode === 'writes' && (access.write || found?.data.isComplete === true)) ||
      (cacheMode === 'minimal' && access.read && access.write);
    const hasSize = node.base === undefined || node.base.size >= 0 || access.truncate;
    if (!isWanted || !hasSize) return undefined;
    if (found !== undefined) return found;
    const now = modTimeFromMs(this.#parts.kit.context.clock.now());
    return cache.create(path, node.base, node.base?.modTime ?? now);
  }

  async #goThrough(node: OpenNode, file: CachedFile, path: string): Promise<void> {
    try {
      await node.toCached(file);
    } catch (thrown) {
      if (file.isDirty || !hasCode(thrown, 'corrupted')) throw thrown;
      // What was cached is not there any more: it is fetched again.
      await file.discard();
      const cache = this.#cache;
      if (cache !== undefined) await node.toCached(cache.create(path, node.base, file.modTime));
    }
  }

  async #release(node: OpenNode, access: ContentAccess, op: Op): Promise<void> {
    try {
      if (access.write && --node.writers === 0) await node.wroteLast(op);
    } finally {
      if (--node.handles === 0) {
        if (node.path !== undefined && this.#nodes.get(node.path) === node) {
          this.#nodes.delete(node.path);
        }
        await node.close();
      }
    }
  }

  async #commitAndSchedule(file: CachedFile): Promise<void> {
    try {
      await file.commit();
    } finally {
      this.#cache?.uploads.schedule(file, this.#parts.kit.options.writeBack);
    }
  }
}

function pendingOf(file: CachedFile, path: string): PendingFile {
  return { path, size: file.data.size, modTime: file.modTime };
}

function isBelow(dir: string, path: string): boolean {
  return path !== dir && isWithin(dir, path);
}

function cannotWrite(path: string): SyncerError {
  const text = `${path}: cannot change a part of a file without a cache on disk`;
  return new SyncerError('unsupported', text, {
    path,
    advice: 'mount with --vfs-cache-mode writes',
  });
}
