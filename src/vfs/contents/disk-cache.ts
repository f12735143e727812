import { open } from 'node:fs/promises';
import type { ModTime } from '../../core/mod-time.ts';
import type { FileEntry } from '../../core/remote.ts';
import { isWithin, joinPath, parentPath } from '../../core/remote-path.ts';
import type { CacheFolder } from './cache-folder.ts';
import { CachedFile, type FileCache } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';
import { withRoom } from './disk-error.ts';
import { type Journal, type JournalRecord, restoreEntry } from './journal.ts';
import { SafetyQueue } from './safety-queue.ts';
import { UploadQueue } from './upload-queue.ts';

/** A use is not journaled if the last one was less than this ago, in milliseconds. */
const USE_IS_TOLD_MS = 60_000;
/** Time limit of one round of syncing clean files, in milliseconds. */
const SECURE_MS = 2_000;

/** The cached files of one remote on disk. */
export class DiskCache implements FileCache {
  readonly kit: ContentsKit;
  readonly journal: Journal;
  readonly boot: string;
  readonly safety: SafetyQueue;
  readonly uploads: UploadQueue;
  readonly dirty = new DirtyFiles();
  readonly #folder: CacheFolder;
  /** All files that are in use or dirty, by id. */
  readonly #files = new Map<string, CachedFile>();
  /** The newest file of each path. */
  readonly #byPath = new Map<string, string>();

  constructor(kit: ContentsKit, folder: CacheFolder, journal: Journal, boot: string) {
    this.kit = kit;
    this.#folder = folder;
    this.journal = journal;
    this.boot = boot;
    this.safety = new SafetyQueue(journal, kit.context.clock);
    this.uploads = new UploadQueue(kit);
  }

  now(): number {
    return this.kit.context.clock.now();
  }

  /** Restores a file from its record. */
  restore(record: JournalRecord): CachedFile {
    const { id, path, size, edges, content, base, sent, modTime, state, unsure = false } = record;
    const isPending = state === 'pending';
    const file = new CachedFile(this, {
      id,
      path,
      size,
      edges,
      content,
      mayHaveTail: isPending,
      isChanged: state !== 'clean',
      sent,
      isRecovered: isPending,
      isUnsure: unsure,
      base: base && { ...restoreEntry(base), path },
      modTime: BigInt(modTime),
      journaled: state,
    });
    if (file.isDirty) this.used(file);
    this.changed(file);
    return file;
  }

  dataPath(id: string): string {
    return this.#folder.dataPath(id);
  }

  /** An open or pending file stays in memory. */
  used(file: CachedFile): void {
    this.#files.set(file.id, file);
  }

  /** Adds a clean record: it becomes a `CachedFile` when its path is requested. */
  know(record: JournalRecord): void {
    this.#byPath.set(record.path, record.id);
  }

  /** Creates a file in the cache: the object at `path` on the remote, or an empty file. */
  create(path: string, base: FileEntry | undefined, modTime: ModTime): CachedFile {
    const id = this.#folder.newId();
    const size = base?.size ?? 0;
    const file = new CachedFile(this, { id, path, size, base, modTime, journaled: 'clean' });
    this.#files.set(id, file);
    this.#byPath.set(path, id);
    return file;
  }

  find(path: string): CachedFile | undefined {
    const id = this.#byPath.get(path);
    if (id === undefined) return undefined;
    const file = this.#files.get(id);
    if (file !== undefined) return file;
    const record = this.journal.records.get(id);
    if (record !== undefined && record.path === path) return this.restore(record);
    this.#byPath.delete(path);
    return undefined;
  }

  /** A directory was renamed; returns the files below it that are in memory, with their new paths. */
  async renameDir(from: string, to: string): Promise<void> {
    for (const [path, id] of [...this.#byPath]) {
      if (!isWithin(from, path)) continue;
      const now = joinPath(to, path.slice(from.length + 1));
      this.#byPath.delete(path);
      this.#byPath.set(now, id);
    }
    for (const file of this.#files.values()) {
      if (file.path === undefined || !isWithin(from, file.path)) continue;
      const path = joinPath(to, file.path.slice(from.length + 1));
      file.rename(path);
      await file.rebase(file.base && { ...file.base, path });
    }
    await this.#withRoom(() => this.journal.moveDir(from, to));
  }

  /** Files in memory at or below a directory. */
  filesIn(dir: string): CachedFile[] {
    const isThere = ({ path }: CachedFile) => path !== undefined && isWithin(dir, path);
    return [...this.#files.values()].filter(isThere);
  }

  /** Writes to the journal; if the disk is full, evicts files and tries again. */
  async put(record: JournalRecord, gone: readonly string[]): Promise<void> {
    await this.#withRoom(() => this.journal.put(record, gone));
  }

  setAside(id: string, path: string): Promise<string | undefined> {
    return this.#folder.setAside(id, path);
  }

  /** Updates the indexes of `pending` and `find`. */
  changed(file: CachedFile, oldPath: string | undefined = file.path): void {
    if (oldPath !== undefined && oldPath !== file.path && this.#byPath.get(oldPath) === file.id) {
      this.#byPath.delete(oldPath);
    }
    const path = file.isReplaced ? undefined : file.path;
    if (path !== undefined) this.#byPath.set(path, file.id);
    this.dirty.note(file, path === undefined ? undefined : parentPath(path));
  }

  /** The file at `path` has lost its name. */
  async forget(file: CachedFile, path: string | undefined): Promise<void> {
    this.changed(file, path);
    await this.#withRoom(() => this.journal.drop([file.id]));
    if (!file.isUsed) await this.#remove(file);
  }

  /** The file has no handles any more. */
  async unused(file: CachedFile): Promise<void> {
    if (file.path === undefined) return this.#remove(file);
    if (file.isDirty) return;
    // Downloaded content is kept for later, and needs no memory until then.
    if (this.#files.get(file.id) !== file) return;
    this.#files.delete(file.id);
    const isEmpty = file.ranges.bytes === 0;
    const { cacheMode } = this.kit.options;
    if (isEmpty || (cacheMode !== 'writes' && cacheMode !== 'full')) return file.discard();
    const told = this.journal.records.get(file.id);
    const isTold = told !== undefined && bytesOf(told) === file.ranges.bytes;
    if (isTold && file.lastUsed - told.used < USE_IS_TOLD_MS) return;
    await file.describe().catch(() => undefined);
  }

  /** Evicts what is too old or too much. */
  async clean(): Promise<void> {
    const { cacheMaxAge, cacheMaxSize, cacheMinFree } = this.kit.options;
    await this.#evict(cacheMaxAge, cacheMaxSize);
    if (cacheMinFree === undefined) return;
    const missing = cacheMinFree - (await this.#folder.freeSpace());
    if (missing > 0) await this.makeRoom(missing);
  }

  /** Syncs cached files that are not in use to disk, so that they survive a reboot too. */
  async secure(): Promise<void> {
    const until = this.kit.context.clock.monotonic() + SECURE_MS;
    const safe: (readonly [id: string, number: number])[] = [];
    for (const { id, number, state, safe: isSafe, boot } of [...this.journal.records.values()]) {
      if (state !== 'clean' || isSafe === true || boot !== this.boot) continue;
      if (this.#files.has(id)) continue;
      if (await syncFile(this.#folder.dataPath(id))) safe.push([id, number]);
      if (this.kit.context.clock.monotonic() > until) break;
    }
    await this.journal.markSafe(safe);
  }

  /** Evicts clean files until this many bytes are free; `false` if there was none to evict. */
  async makeRoom(bytes: number): Promise<boolean> {
    const total = this.bytes();
    return this.#evict(undefined, total - Math.max(bytes, 2 ** 20), total);
  }

  /** Size of all cached files. */
  bytes(): number {
    let bytes = 0;
    for (const record of this.journal.records.values()) {
      bytes += this.#files.get(record.id)?.ranges.bytes ?? bytesOf(record);
    }
    return bytes;
  }

  /** Size of files that wait for their upload. */
  pendingBytes(): number {
    let bytes = 0;
    for (const file of this.dirty.all()) bytes += file.size;
    return bytes;
  }

  count(): number {
    return this.#byPath.size;
  }

  isKnown(id: string): boolean {
    return this.#files.has(id) || this.journal.records.has(id);
  }

  /**
   * Evicts all clean files that were not used for too long, then the least recently used until the rest is small
   * enough; `undefined`: no limit. `false` if there was none to evict.
   * @param total size of all cached files, including those that must stay
   */
  async #evict(
    maxAgeMs: number | undefined,
    maxBytes: number | undefined,
    total = this.bytes(),
  ): Promise<boolean> {
    const nowMs = this.now();
    const isFree = ({ id, state }: JournalRecord) => state === 'clean' && !this.#files.has(id);
    const mayGo = [...this.journal.records.values()].filter(isFree);
    const victims: JournalRecord[] = [];
    let left = total;
    for (const record of mayGo.sort((a, b) => a.used - b.used)) {
      const isOld = maxAgeMs !== undefined && nowMs - record.used > maxAgeMs;
      const isTooMuch = maxBytes !== undefined && left > maxBytes;
      if (!isOld && !isTooMuch) break;
      victims.push(record);
      left -= bytesOf(record);
    }
    const ids = victims.map(({ id }) => id).filter((id) => !this.#files.has(id));
    for (const { path, id } of victims) {
      if (this.#byPath.get(path) === id && !this.#files.has(id)) this.#byPath.delete(path);
    }
    // The data first: that needs no space. A record without data is ignored.
    for (const id of ids) await this.#folder.removeData(id);
    await this.journal.drop(ids).catch(() => undefined);
    return victims.length > 0;
  }

  async #remove(file: CachedFile): Promise<void> {
    this.#files.delete(file.id);
    file.markRemoved();
    await this.#folder.removeData(file.id);
  }

  #withRoom(call: () => Promise<void>): Promise<void> {
    return withRoom(call, () => this.makeRoom(0));
  }
}

/** Syncs the bytes of a file to disk; `false` if that is impossible. */
async function syncFile(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r');
    try {
      await file.datasync();
      return true;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

/** The disk space of a cached file, in bytes. */
function bytesOf({ edges }: Pick<JournalRecord, 'edges'>): number {
  let bytes = 0;
  for (let i = 0; i + 1 < edges.length; i += 2) bytes += (edges[i + 1] ?? 0) - (edges[i] ?? 0);
  return bytes;
}

/** The files with changes that the remote lacks, by directory. */
class DirtyFiles {
  readonly #byDir = new Map<string, Set<CachedFile>>();
  readonly #dirs = new Map<CachedFile, string>();

  /** Updates a file whose state or directory changed; `undefined` if it has lost its name. */
  note(file: CachedFile, dir: string | undefined): void {
    const old = this.#dirs.get(file);
    const now = file.isDirty ? dir : undefined;
    if (old === now) return;
    if (old !== undefined) {
      const files = this.#byDir.get(old);
      files?.delete(file);
      if (files?.size === 0) this.#byDir.delete(old);
      this.#dirs.delete(file);
    }
    if (now === undefined) return;
    const files = this.#byDir.get(now) ?? new Set();
    this.#byDir.set(now, files.add(file));
    this.#dirs.set(file, now);
  }

  in(dir: string): Iterable<CachedFile> {
    return this.#byDir.get(dir) ?? [];
  }

  all(): Iterable<CachedFile> {
    return this.#dirs.keys();
  }
}
