import { hasCode, SyncerError } from '../../core/errors.ts';
import { modTimeFromMs } from '../../core/mod-time.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { confirmedEmpty } from '../../core/remote-calls.ts';
import { isWithin, joinPath, parentPath } from '../../core/remote-path.ts';
import { retry } from '../../core/retry.ts';
import { sameContent } from '../../core/same-content.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';
import type { DiskCache } from './disk-cache.ts';
import type {
  ContentAccess,
  ContentsState,
  FileHandle,
  OnRemote,
  PendingFile,
} from './file-contents.ts';
import { OpenFile } from './open-file.ts';
import { needsCache } from './streamed-file.ts';

/** What other code may use of `Contents`, which tests replace. */
export type FileContents = Pick<Contents, keyof Contents>;

/**
 * The bytes of the files of a mount: open files, on the remote, in the disk cache, or waiting for their upload. Uses
 * paths, not inodes or directories.
 */
export class Contents {
  readonly #kit: ContentsKit;
  readonly #cache: DiskCache | undefined;
  /** Open files that have a name. */
  readonly #opened = new Map<string, OpenFile>();
  readonly #closed: () => Promise<void>;
  #isClosed = false;

  /** @param closed releases the lock, and ends what runs in the background */
  constructor(
    kit: ContentsKit,
    cache: DiskCache | undefined,
    closed: () => Promise<void> = async () => {},
  ) {
    this.#kit = kit;
    this.#cache = cache;
    this.#closed = closed;
    kit.uploaded.listeners.push((path, entry) => {
      const opened = this.#opened.get(path);
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
    const { options } = this.#kit;
    if (access.write && options.readOnly) {
      throw new SyncerError('read-only', `${path}: the mount is read-only`, { path });
    }
    const known = entry && !access.truncate;
    const base = known ? await confirmedEmpty(this.#kit.remote, entry, op) : entry;
    const opened = this.#fileFor(path, base);
    opened.opened(access);
    let isReleased = false;
    const release = async (closing: Op) => {
      if (isReleased) return;
      isReleased = true;
      await opened.close(access, closing, () => {
        const now = opened.path;
        if (now !== undefined && this.#opened.get(now) === opened) this.#opened.delete(now);
      });
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
    const opened = this.#opened.get(path);
    if (opened?.isDirty === true) return { path, size: opened.size(), modTime: opened.modTime() };
    const file = this.#cache?.find(path);
    return file?.isDirty === true ? pendingOf(file, path) : undefined;
  }

  /** All such files directly in `dir`, including those that the remote lacks. */
  *pendingIn(dir: string): Iterable<PendingFile> {
    for (const file of this.#cache?.dirty.in(dir) ?? []) {
      if (file.path !== undefined) yield pendingOf(file, file.path);
    }
    for (const [path, opened] of this.#opened) {
      if (opened.stream?.isDirty !== true || parentPath(path) !== dir) continue;
      yield { path, size: opened.size(), modTime: opened.modTime() };
    }
  }

  /** All such files at any depth below `dir`. */
  *pendingBelow(dir: string): Iterable<PendingFile> {
    for (const file of this.#cache?.dirty.all() ?? []) {
      if (file.path !== undefined && isBelow(dir, file.path)) yield pendingOf(file, file.path);
    }
    for (const [path, opened] of this.#opened) {
      if (opened.stream?.isDirty !== true || !isBelow(dir, path)) continue;
      yield { path, size: opened.size(), modTime: opened.modTime() };
    }
  }

  /** Sets the time of a file that is open or pending; `false` if it is neither (the caller changes the remote). */
  async setModTime(path: string, modTime: bigint): Promise<boolean> {
    // Closing an empty file uploads it after the program goes on.
    await this.#opened.get(path)?.inTurn(async () => {});
    const opened = this.#opened.get(path);
    if (opened?.isWritten === true) {
      opened.setModTime(modTime);
      return true;
    }
    const file = opened?.cached ?? this.#cache?.find(path);
    if (file?.isDirty !== true) return false;
    file.setModTime(modTime);
    try {
      await file.commit();
    } finally {
      this.#cache?.uploads.schedule(file, this.#kit.options.writeBack);
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
    const opened = this.#opened.get(path);
    const file = opened?.cached ?? this.#cache?.find(path);
    if (opened?.isDirty === true || file?.isDirty === true) return;
    const base = opened?.base ?? file?.base;
    const { options, remote } = this.#kit;
    const isFast = options.fastFingerprint && remote.traits.slowModTime;
    if (entry !== undefined && base !== undefined && sameContent(base, entry, isFast)) {
      opened?.relisted(entry);
      file?.relisted(entry);
      return;
    }
    if (opened?.isWritten === true) return;
    // Readers of the old version get it, or an error, but never a mixture with the new one.
    if (opened !== undefined) this.#opened.delete(path);
    void file?.discard().catch(() => undefined);
  }

  /**
   * Called before names at `path` or below change on the remote. Uploads there end or are cancelled, and none starts
   * until the returned function is called; what they left on the remote is checked, and reported as an upload. Then
   * the caller changes the remote, calls `renamed`, `dirRenamed` or `removed`, and the returned function; if the
   * remote failed, only the last. Does not wait for a file that is being streamed.
   */
  async hold(path: string, op: Op): Promise<() => void> {
    const letGo = this.#kit.holds.hold(path);
    try {
      for (const file of this.#cache?.filesIn(path) ?? []) await this.#giveUp(file, op);
      await this.#cache?.uploads.quiet(path);
      return letGo;
    } catch (thrown) {
      letGo();
      throw thrown;
    }
  }

  /**
   * The name has changed on the mount: open files, cached bytes and pending uploads follow. A file at `to` is
   * replaced, as by `removed`, in the same step. Returns `true` if the remote had nothing under the old name.
   *
   * @param onRemote the remote's object under the new name; `moved` by default
   */
  async renamed(from: string, to: string, onRemote: OnRemote = 'moved'): Promise<boolean> {
    if (from === to) return false;
    const replaced = await this.#unname(to);
    const opened = this.#opened.get(from);
    const file = opened?.cached ?? this.#cache?.find(from);
    const isNew = this.#isOnlyHere(opened, file);
    if (file !== undefined) {
      // Dropped atomically, if the journal has the renamed one.
      const gone = replaced.map(({ id }) => id);
      const waited = (await this.#cache?.uploads.stop(file)) === true;
      for (const each of [file, file.replaces]) {
        if (each === undefined) continue;
        each.rename(to);
        const here = each.base && { ...each.base, path: to };
        const base = onRemote === 'moved' ? here : onRemote.entry;
        const isRead = opened !== undefined || each.isDirty;
        await each.rebase(isRead && !each.isComplete ? await this.#present(base) : base);
        await each.describe(gone);
      }
      if (waited) this.#schedule(file);
    }
    for (const each of replaced) await each.discard();
    if (opened !== undefined) {
      this.#opened.delete(from);
      this.#opened.set(to, opened);
      const isReplaced = onRemote !== 'moved' && opened.cached !== undefined;
      const base = isReplaced ? onRemote.entry : opened.base;
      await opened.renamed(to, base, (here) => this.#present(here));
    }
    return isNew;
  }

  /**
   * Whether the newest version of the file at `path` is local and waits for its upload, so that the remote's older
   * one is not needed. If so, downloads its missing bytes, and resolves when it is safe.
   */
  async bringHere(path: string, op: Op): Promise<boolean> {
    const file = this.#opened.get(path)?.cached ?? this.#cache?.find(path);
    const versions = [file, file?.replaces].filter((each) => each !== undefined);
    const counted = versions.find(({ isCommitted }) => isCommitted);
    if (counted === undefined) return false;
    for (const each of versions) {
      if (each.isComplete) continue;
      await each.acquire();
      try {
        await each.complete(op);
      } finally {
        await each.release();
      }
    }
    await counted.safe();
    return true;
  }

  /** A whole directory was renamed. */
  async dirRenamed(from: string, to: string): Promise<void> {
    const files = this.#cache?.filesIn(from) ?? [];
    const waited = new Set<CachedFile>();
    for (const file of files) if (await this.#cache?.uploads.stop(file)) waited.add(file);
    await this.#cache?.renameDir(from, to);
    for (const [path, opened] of [...this.#opened]) {
      if (!isWithin(from, path)) continue;
      const now = joinPath(to, path.slice(from.length + 1));
      this.#opened.delete(path);
      this.#opened.set(now, opened);
      await opened.renamed(now, opened.base, (base) => this.#present(base));
    }
    for (const file of files) {
      if (!file.isComplete) await file.rebase(await this.#present(file.base));
      if (waited.has(file)) this.#schedule(file);
    }
  }

  /**
   * The name was deleted on the mount, with its upload and its cached bytes. Open files work without a name. Returns
   * `true` if the remote has nothing under the name.
   */
  async removed(path: string): Promise<boolean> {
    const opened = this.#opened.get(path);
    const isNew = this.#isOnlyHere(opened, opened?.cached ?? this.#cache?.find(path));
    for (const each of await this.#unname(path)) await each.discard();
    return isNew;
  }

  /** Uploads waiting or running, and the bytes in the cache. */
  state(): ContentsState {
    const cache = this.#cache;
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
    this.#kit.uploaded.listeners.push(listener);
  }

  /**
   * Resolves when nothing is pending; rejects with the signal's reason. What is then still pending is in the journal.
   */
  async drain(op: Op): Promise<void> {
    await this.#cache?.uploads.drain(op);
  }

  /**
   * As `drain`, at the end of the mount. The kernel does not report the last closes then: a file that was flushed
   * since its last change counts as closed. Other changes are left to the next mount.
   */
  async finish(op: Op): Promise<void> {
    const files = [...this.#opened.values()];
    const ends = files.map((opened) => opened.inTurn(() => opened.abandon(op)));
    const failed = (await Promise.allSettled(ends)).find((end) => end.status === 'rejected');
    await this.drain(op);
    if (failed !== undefined) throw failed.reason;
  }

  /** Afterwards `state` counts what was left. */
  async close(): Promise<void> {
    await this.#cache?.uploads.close();
    for (const opened of this.#opened.values()) {
      await opened.stream?.stop();
      await opened.cached?.commit().catch(() => undefined);
      await opened.end();
    }
    this.#opened.clear();
    await this.#kit.readers.close();
    this.#isClosed = true;
    await this.#cache?.safety.idle();
    await this.#closed();
  }

  /** The open file at a path, or a new one. */
  #fileFor(path: string, entry: FileEntry | undefined): OpenFile {
    if (entry !== undefined) this.changed(path, entry);
    const known = this.#opened.get(path);
    if (known !== undefined) return known;
    const local = this.#cache?.find(path);
    const isNewer = local?.isDirty === true;
    if (local !== undefined && !isNewer && entry === undefined) {
      void local.discard().catch(() => undefined);
    }
    const opened = new OpenFile(this.#kit, this.#cache, path, isNewer ? local.base : entry);
    this.#opened.set(path, opened);
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
        const cache = this.#cache;
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
    const cache = this.#cache;
    if (cache === undefined) return undefined;
    const found = cache.find(path);
    if (found?.isDirty === true) return found;
    const { cacheMode } = this.#kit.options;
    const isWanted =
      cacheMode === 'full' ||
      (cacheMode === 'writes' && (access.write || found?.isComplete === true)) ||
      (cacheMode === 'minimal' && access.read && access.write);
    const hasSize = opened.base === undefined || opened.base.size >= 0 || access.truncate;
    if (!isWanted || !hasSize) return undefined;
    if (found !== undefined) return found;
    const now = modTimeFromMs(this.#kit.context.clock.now());
    return cache.create(path, opened.base, opened.base?.modTime ?? now);
  }

  /** Readers use the file without a name from now on; returns its cache file, to be discarded. */
  async #unname(path: string): Promise<readonly CachedFile[]> {
    const opened = this.#opened.get(path);
    const file = opened?.cached ?? this.#cache?.find(path);
    if (opened !== undefined) {
      this.#opened.delete(path);
      await opened.unnamed();
    }
    if (file !== undefined) await this.#cache?.uploads.stop(file);
    return [file?.replaces, file].filter((each) => each !== undefined);
  }

  /** Ends an upload, and finds out whether the remote has the file anyway. */
  async #giveUp(file: CachedFile, op: Op): Promise<void> {
    const wasScheduled = (await this.#cache?.uploads.stop(file)) === true;
    // It waits until the path is released.
    if (wasScheduled) this.#schedule(file);
    const { path } = file;
    if (!file.isUncertain || path === undefined) return;
    const found = await this.#stat(path, op);
    const isSame = found !== undefined && file.base !== undefined && sameContent(file.base, found);
    if (found !== undefined) await file.foundAs(found);
    file.lookedUp(isSame ? undefined : found);
    if (found === undefined || isSame) return;
    this.#kit.uploaded.tell(path, found);
  }

  async #stat(path: string, op: Op): Promise<FileEntry | undefined> {
    const { remote, options, context } = this.#kit;
    const tries = options.lowLevelRetries;
    const rules = { tries, what: `look at ${path}`, signal: op.signal, context };
    const found = await retry(() => remote.stat(path, op), rules);
    return found?.kind === 'file' ? found : undefined;
  }

  /** Whether the remote has nothing under the name. */
  #isOnlyHere(opened: OpenFile | undefined, file: CachedFile | undefined): boolean {
    if (file !== undefined) return file.isDirty && file.base === undefined;
    return opened?.stream?.isDirty === true && opened.base === undefined;
  }

  /** The object under its new name, where it may have another ETag. */
  async #present(base: FileEntry | undefined): Promise<FileEntry | undefined> {
    if (base === undefined) return undefined;
    try {
      const found = await this.#stat(base.path, { signal: this.#kit.context.signal });
      return found?.size === base.size ? found : base;
    } catch {
      // Its readers will get the error.
      return base;
    }
  }

  #schedule(file: CachedFile): void {
    if (file.isDirty) this.#cache?.uploads.schedule(file, this.#kit.options.writeBack);
  }
}

function pendingOf(file: CachedFile, path: string): PendingFile {
  return { path, size: file.size, modTime: file.modTime };
}

const isBelow = (dir: string, path: string): boolean => path !== dir && isWithin(dir, path);
