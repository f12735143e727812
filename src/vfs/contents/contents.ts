import { hasCode, SyncerError } from '../../core/errors.ts';
import { modTimeFromMs } from '../../core/mod-time.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { confirmedEmpty } from '../../core/remote-calls.ts';
import { isWithin, parentPath } from '../../core/remote-path.ts';
import { sameContent } from '../../core/same-content.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';
import type { DiskCache } from './disk-cache.ts';
import type { ContentAccess, ContentsState, FileHandle, PendingFile } from './file-contents.ts';
import { NameChanges } from './name-changes.ts';
import { OpenFile } from './open-file.ts';
import { needsCache } from './streamed-file.ts';

/** What other code may use of `Contents`, which tests replace. */
export type FileContents = Pick<Contents, keyof Contents>;

/**
 * The bytes of the files of a mount: open files, on the remote, in the disk cache, or waiting for their upload. Uses
 * paths, not inodes or directories.
 */
export class Contents extends NameChanges {
  readonly #closed: () => Promise<void>;
  #isClosed = false;

  /** @param closed releases the lock, and ends what runs in the background */
  constructor(
    kit: ContentsKit,
    cache: DiskCache | undefined,
    closed: () => Promise<void> = async () => {},
  ) {
    super(kit, cache);
    this.#closed = closed;
    kit.uploaded.on((path, entry) => {
      const opened = this.opened.get(path);
      if (opened !== undefined && opened.base !== entry && !opened.isDirty)
        void opened.rebase(entry);
    });
  }

  /**
   * Opens the file at `path`. `entry` is the object on the remote, `undefined` for a new file. Rejects with
   * `read-only`, `unsupported` (the cache mode cannot write that way) or the error of the remote.
   */
  async open(
    path: string,
    entry: FileEntry | undefined,
    access: ContentAccess,
    op: Op,
  ): Promise<FileHandle> {
    const { options } = this.kit;
    if (access.write && options.readOnly) {
      throw new SyncerError('read-only', `${path}: the mount is read-only`, { path });
    }
    const known = entry && !access.truncate;
    const base = known ? await confirmedEmpty(this.kit.remote, entry, op) : entry;
    const opened = this.#fileFor(path, base);
    opened.handles++;
    if (access.write) opened.writers++;
    let isReleased = false;
    const release = async (closing: Op) => {
      if (isReleased) return;
      isReleased = true;
      await opened.inTurn(() => this.#release(opened, access, closing));
    };
    try {
      await opened.inTurn(() => this.#prepare(opened, path, access));
    } catch (thrown) {
      await release(op).catch(() => undefined);
      throw thrown;
    }
    return opened.handle(access, release);
  }

  /** A file whose newest content is not on the remote yet: it overrides a listing. */
  pending(path: string): PendingFile | undefined {
    const opened = this.opened.get(path);
    if (opened?.isDirty === true) return { path, size: opened.size(), modTime: opened.modTime() };
    const file = this.cache?.find(path);
    return file?.isDirty === true ? pendingOf(file, path) : undefined;
  }

  /** All such files directly in `dir`, including those that the remote lacks. */
  *pendingIn(dir: string): Iterable<PendingFile> {
    for (const file of this.cache?.dirty.in(dir) ?? []) {
      if (file.path !== undefined) yield pendingOf(file, file.path);
    }
    for (const [path, opened] of this.opened) {
      if (opened.stream?.isDirty !== true || parentPath(path) !== dir) continue;
      yield { path, size: opened.size(), modTime: opened.modTime() };
    }
  }

  /** All such files at any depth below `dir`. */
  *pendingBelow(dir: string): Iterable<PendingFile> {
    for (const file of this.cache?.dirty.all() ?? []) {
      if (file.path !== undefined && isBelow(dir, file.path)) yield pendingOf(file, file.path);
    }
    for (const [path, opened] of this.opened) {
      if (opened.stream?.isDirty !== true || !isBelow(dir, path)) continue;
      yield { path, size: opened.size(), modTime: opened.modTime() };
    }
  }

  /** Sets the time of a file that is open or pending; `false` if it is neither (the caller changes the remote). */
  async setModTime(path: string, modTime: bigint): Promise<boolean> {
    // Closing an empty file uploads it after the program goes on.
    await this.opened.get(path)?.inTurn(async () => {});
    const opened = this.opened.get(path);
    if (opened !== undefined && opened.writers > 0) {
      opened.setModTime(modTime);
      return true;
    }
    const file = opened?.cached ?? this.cache?.find(path);
    if (file?.isDirty !== true) return false;
    file.setModTime(modTime);
    try {
      await file.commit();
    } finally {
      this.cache?.uploads.schedule(file, this.kit.options.writeBack);
    }
    return true;
  }

  /** Changes the size of a file, whether it is open or not. */
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

  /** The remote has another version now: cached bytes of the old one are not used any more. */
  changed(path: string, entry: FileEntry | undefined): void {
    const opened = this.opened.get(path);
    const file = opened?.cached ?? this.cache?.find(path);
    if (opened?.isDirty === true || file?.isDirty === true) return;
    const base = opened?.base ?? file?.base;
    const { options, remote } = this.kit;
    const isFast = options.fastFingerprint && remote.traits.slowModTime;
    if (entry !== undefined && base !== undefined && sameContent(base, entry, isFast)) {
      if (opened !== undefined) opened.base = entry;
      if (file !== undefined) file.base = entry;
      return;
    }
    if (opened !== undefined && opened.writers > 0) return;
    // Readers of the old version get it, or an error, but never a mixture with the new one.
    if (opened !== undefined) this.opened.delete(path);
    void file?.discard().catch(() => undefined);
  }

  /** Uploads waiting or running, and the bytes in the cache. */
  state(): ContentsState {
    const cache = this.cache;
    const counts = this.#isClosed ? undefined : cache?.uploads.counts();
    const left = this.#isClosed ? [...(cache?.dirty.all() ?? [])].length : 0;
    return {
      uploadsWaiting: counts?.waiting ?? left,
      uploadsRunning: counts?.running ?? 0,
      uploadsFailed: counts?.failed ?? 0,
      pendingBytes: cache?.pendingBytes() ?? 0,
      // Computed on request only: it adds up all files.
      get cachedBytes() {
        return cache?.bytes() ?? 0;
      },
      cachedFiles: cache?.count() ?? 0,
    };
  }

  /** Called with the remote's entry after an upload; `undefined` if the upload was aborted for good. */
  onUploaded(listener: (path: string, entry: FileEntry) => void): void {
    this.kit.uploaded.on(listener);
  }

  /**
   * Resolves when nothing is pending; rejects with the signal's reason. What is then still pending is in the journal.
   */
  async drain(op: Op): Promise<void> {
    await this.cache?.uploads.drain(op);
  }

  /**
   * As `drain`, at the end of the mount. The kernel does not report the last closes then: a file that was flushed
   * since its last change counts as closed. Other changes are left to the next mount.
   */
  async finish(op: Op): Promise<void> {
    const files = [...this.opened.values()];
    const ends = files.map((opened) => opened.inTurn(() => opened.abandon(op)));
    const failed = (await Promise.allSettled(ends)).find((end) => end.status === 'rejected');
    await this.drain(op);
    if (failed !== undefined) throw failed.reason;
  }

  /** Afterwards `state` counts what was left. */
  async close(): Promise<void> {
    await this.cache?.uploads.close();
    for (const opened of this.opened.values()) {
      await opened.stream?.stop();
      await opened.cached?.commit().catch(() => undefined);
      await opened.close();
    }
    this.opened.clear();
    await this.kit.readers.close();
    this.#isClosed = true;
    await this.cache?.safety.idle();
    await this.#closed();
  }

  /** The open file at a path, or a new one. */
  #fileFor(path: string, entry: FileEntry | undefined): OpenFile {
    if (entry !== undefined) this.changed(path, entry);
    const known = this.opened.get(path);
    if (known !== undefined) return known;
    const local = this.cache?.find(path);
    const isNewer = local?.isDirty === true;
    if (local !== undefined && !isNewer && entry === undefined) {
      void local.discard().catch(() => undefined);
    }
    const opened = new OpenFile(this.kit, this.cache, path, isNewer ? local.base : entry);
    this.opened.set(path, opened);
    return opened;
  }

  async #prepare(opened: OpenFile, path: string, access: ContentAccess): Promise<void> {
    if (opened.cached === undefined && opened.stream === undefined) {
      const file = this.#cacheFor(path, opened, access);
      try {
        if (file !== undefined) await opened.toCached(file);
      } catch (thrown) {
        if (file === undefined || file.isDirty || !hasCode(thrown, 'corrupted')) throw thrown;
        // The cached data is gone: it is downloaded again.
        await file.discard();
        const { cache } = this;
        if (cache !== undefined)
          await opened.toCached(cache.create(path, opened.base, file.modTime));
      }
    }
    if (!access.write) return;
    if (opened.cached === undefined) {
      const isKept = opened.stream === undefined && opened.base !== undefined && !access.truncate;
      if (access.read && isKept) throw needsCache(path, 'change a part of a file');
      opened.toStream();
    }
    if (access.truncate) await opened.truncate(0);
    else if (opened.base === undefined && opened.cached?.isDirty === false)
      await opened.cached.touch();
  }

  /** The cache file to use for this access; `undefined` if it does not go through the cache. */
  #cacheFor(path: string, opened: OpenFile, access: ContentAccess): CachedFile | undefined {
    const cache = this.cache;
    if (cache === undefined) return undefined;
    const found = cache.find(path);
    if (found?.isDirty === true) return found;
    const { cacheMode } = this.kit.options;
    const isWanted =
      cacheMode === 'full' ||
      (cacheMode === 'writes' && (access.write || found?.isComplete === true)) ||
      (cacheMode === 'minimal' && access.read && access.write);
    const hasSize = opened.base === undefined || opened.base.size >= 0 || access.truncate;
    if (!isWanted || !hasSize) return undefined;
    if (found !== undefined) return found;
    const now = modTimeFromMs(this.kit.context.clock.now());
    return cache.create(path, opened.base, opened.base?.modTime ?? now);
  }

  async #release(opened: OpenFile, access: ContentAccess, op: Op): Promise<void> {
    try {
      if (access.write && --opened.writers === 0) await opened.wroteLast(op);
    } finally {
      if (--opened.handles === 0) {
        if (opened.path !== undefined && this.opened.get(opened.path) === opened) {
          this.opened.delete(opened.path);
        }
        await opened.close();
      }
    }
  }
}

function pendingOf(file: CachedFile, path: string): PendingFile {
  return { path, size: file.size, modTime: file.modTime };
}

function isBelow(dir: string, path: string): boolean {
  return path !== dir && isWithin(dir, path);
}
