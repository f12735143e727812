import type { FileEntry, Op } from '../../core/remote.ts';
import { isWithin, joinPath } from '../../core/remote-path.ts';
import { retry } from '../../core/retry.ts';
import { sameContent } from '../../core/same-content.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';
import type { DiskCache } from './disk-cache.ts';
import type { OnRemote } from './file-contents.ts';
import type { OpenFile } from './open-file.ts';

/** The part of `Contents` that updates open files, cached bytes and pending uploads when names change. */
export class NameChanges {
  protected readonly kit: ContentsKit;
  protected readonly cache: DiskCache | undefined;
  /** Open files that have a name. */
  protected readonly opened = new Map<string, OpenFile>();

  constructor(kit: ContentsKit, cache: DiskCache | undefined) {
    this.kit = kit;
    this.cache = cache;
  }

  /**
   * Called before names at `path` or below change on the remote. Uploads there end or are cancelled, and none starts
   * until the returned function is called; what they left on the remote is checked, and reported as an upload. Then
   * the caller changes the remote, calls `renamed`, `dirRenamed` or `removed`, and the returned function; if the
   * remote failed, only the last. Does not wait for a file that is being streamed.
   */
  async hold(path: string, op: Op): Promise<() => void> {
    const letGo = this.kit.holds.hold(path);
    try {
      for (const file of this.cache?.filesIn(path) ?? []) await this.#giveUp(file, op);
      await this.cache?.uploads.quiet(path);
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
    const opened = this.opened.get(from);
    const file = opened?.cached ?? this.cache?.find(from);
    const isNew = this.#isOnlyHere(opened, file);
    if (file !== undefined) await this.#renameFile(opened, file, to, onRemote, replaced);
    for (const each of replaced) await each.discard();
    if (opened !== undefined) {
      this.opened.delete(from);
      this.opened.set(to, opened);
      if (onRemote !== 'moved' && opened.cached !== undefined) opened.base = onRemote.entry;
      await this.#renameOpened(opened, to);
    }
    return isNew;
  }

  /**
   * Whether the newest version of the file at `path` is local and waits for its upload, so that the remote's older
   * one is not needed. If so, downloads its missing bytes, and resolves when it is safe.
   */
  async bringHere(path: string, op: Op): Promise<boolean> {
    const file = this.opened.get(path)?.cached ?? this.cache?.find(path);
    const versions = [file, file?.replaces].filter((each) => each !== undefined);
    const counted = versions.find(({ journaled }) => journaled === 'pending');
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
    const files = this.cache?.filesIn(from) ?? [];
    const waited = new Set<CachedFile>();
    for (const file of files) if (await this.cache?.uploads.stop(file)) waited.add(file);
    await this.cache?.renameDir(from, to);
    for (const [path, opened] of [...this.opened]) {
      if (!isWithin(from, path)) continue;
      const now = joinPath(to, path.slice(from.length + 1));
      this.opened.delete(path);
      this.opened.set(now, opened);
      await this.#renameOpened(opened, now);
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
    const opened = this.opened.get(path);
    const isNew = this.#isOnlyHere(opened, opened?.cached ?? this.cache?.find(path));
    for (const each of await this.#unname(path)) await each.discard();
    return isNew;
  }

  /** Readers use the file without a name from now on; returns its cache file, to be discarded. */
  async #unname(path: string): Promise<readonly CachedFile[]> {
    const opened = this.opened.get(path);
    const file = opened?.cached ?? this.cache?.find(path);
    if (opened !== undefined) {
      this.opened.delete(path);
      opened.path = undefined;
      await opened.stream?.orphan();
    }
    if (file !== undefined) await this.cache?.uploads.stop(file);
    return [file?.replaces, file].filter((each) => each !== undefined);
  }

  /** Ends an upload, and finds out whether the remote has the file anyway. */
  async #giveUp(file: CachedFile, op: Op): Promise<void> {
    const wasScheduled = (await this.cache?.uploads.stop(file)) === true;
    // It waits until the path is released.
    if (wasScheduled) this.#schedule(file);
    const { path } = file;
    if (!file.isUncertain || path === undefined) return;
    const found = await this.#stat(path, op);
    file.isUncertain = false;
    if (found === undefined || (file.base && sameContent(file.base, found))) return;
    file.base = found;
    this.kit.uploaded.tell(path, found);
  }

  async #stat(path: string, op: Op): Promise<FileEntry | undefined> {
    const { remote, options, context } = this.kit;
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

  /** @param replaced files of the cache that are dropped atomically, if the journal has the renamed one */
  async #renameFile(
    opened: OpenFile | undefined,
    file: CachedFile,
    to: string,
    onRemote: OnRemote,
    replaced: readonly CachedFile[],
  ): Promise<void> {
    const gone = replaced.map(({ id }) => id);
    const waited = (await this.cache?.uploads.stop(file)) === true;
    for (const each of [file, file.replaces]) {
      if (each === undefined) continue;
      each.rename(to);
      const base = onRemote === 'moved' ? each.base && { ...each.base, path: to } : onRemote.entry;
      const isRead = opened !== undefined || each.isDirty;
      await each.rebase(isRead && !each.isComplete ? await this.#present(base) : base);
      await each.describe(gone);
    }
    if (waited) this.#schedule(file);
  }

  async #renameOpened(opened: OpenFile, path: string): Promise<void> {
    opened.path = path;
    const base = opened.base && { ...opened.base, path };
    await opened.rebase(opened.isReading ? await this.#present(base) : base);
    // A running upload still arrives under the old name, and is moved then.
    if (opened.stream !== undefined && !opened.stream.isOnItsWay) opened.stream.path = path;
  }

  /** The object under its new name, where it may have another ETag. */
  async #present(base: FileEntry | undefined): Promise<FileEntry | undefined> {
    if (base === undefined) return undefined;
    try {
      const found = await this.#stat(base.path, { signal: this.kit.context.signal });
      return found?.size === base.size ? found : base;
    } catch {
      // Its readers will get the error.
      return base;
    }
  }

  #schedule(file: CachedFile): void {
    if (file.isDirty) this.cache?.uploads.schedule(file, this.kit.options.writeBack);
  }
}
