import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { compareNames } from '../../../core/name-order.ts';
import { AppendLog } from '../../../state/append-log.ts';
import { replaceFileSync } from '../../../state/replace-file.ts';
import { S3Error } from '../wire/s3-error.ts';
import {
  BucketFolder,
  CLOCK_TICK_MS,
  ESCAPED,
  escapedFile,
  HIDDEN,
  keyOfEscapedFile,
  plainFile,
} from './bucket-folder.ts';
import {
  type DefaultRetention,
  type LoadedLog,
  type LogLine,
  loadLog,
  type ObjectRecord,
  type OldVersion,
  textOf,
} from './object-record.ts';
import type { OpenFolders } from './open-folders.ts';
import { SortedKeys, walkKeys } from './sorted-keys.ts';
import { Upload, type UploadStart } from './upload.ts';

/** The settings of a bucket as a whole. */
interface BucketSettings {
  readonly versioning?: 'Enabled' | 'Suspended';
  /** Versions can be locked; permanent once set. */
  readonly objectLock?: { readonly rule?: DefaultRetention };
  /** Documents as received, by subresource (`cors`, `tagging`). */
  readonly documents?: Readonly<Record<string, string>>;
}

/** Checking this many directories is always worth its time, however busy the machine. */
const FEW_FOLDERS = 50;
/** A check of more that takes longer than this is not made for every listing, in milliseconds. */
const CHEAP_LOOK_MS = 5;
/** Such checks take at most this share of the time. */
const LOOK_SHARE = 1 / 20;

/**
 * One bucket, once `BucketStore` has read it: a directory whose files are its objects, and a hidden directory
 * `.syncer-s3` in it:
 *
 * - `records.log`: a line of JSON for each write: what clients sent with the object and its file's size and time. A
 * file that differs from them was changed externally and is read again.
 * - `keys/`: objects whose keys cannot be file names, see `bucket-folder.ts`.
 * - `versions/`: old versions, if versioning is enabled. `uploads/`: multipart uploads. `tmp/`: partial files.
 * - `bucket.json`: versioning, policy and other settings.
 *
 * Every write goes to `tmp/`, is verified, then recorded in the log, then renamed into place. The last two happen in
 * one turn of the event loop, so that no two writes interleave.
 */
export class Bucket {
  readonly name: string;
  readonly folder: BucketFolder;
  readonly readOnly: boolean;
  readonly index: BucketIndex;
  readonly history: Map<string, readonly OldVersion[]>;
  readonly uploads: UploadStore;
  /** Files whose hash is being computed, by key. */
  readonly hashing = new Map<string, Promise<void>>();
  settings: BucketSettings;
  /** The bucket was deleted during a request. */
  deleted = false;
  readonly #log: AppendLog;
  /** Lines written since the log was loaded or rewritten. */
  #appended = 0;
  /** The content of the log when the server started. */
  readonly loaded: LoadedLog;
  #looked = { at: Number.NEGATIVE_INFINITY, tookMs: 0 };

  constructor(name: string, path: string, readOnly: boolean, folders: OpenFolders) {
    this.name = name;
    this.readOnly = readOnly;
    this.folder = new BucketFolder(path, folders);
    if (!readOnly) this.folder.clearTemporary();
    this.#log = new AppendLog(() => this.folder.at(`${HIDDEN}/records.log`));
    this.loaded = loadLog(this.#log);
    this.history = this.loaded.history;
    this.index = new BucketIndex(this.folder, this.loaded.records);
    this.settings = {};
    try {
      this.settings = JSON.parse(readFileSync(this.folder.at(`${HIDDEN}/bucket.json`), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    this.uploads = new UploadStore(this.folder, readOnly);
  }

  /** Makes the log and the files beside the objects match what was loaded. */
  tidy(): void {
    this.#removeSuperseded();
    if (!this.readOnly && this.loaded.lines > 2 * this.#lineCount() + 1000) this.#compact();
  }

  /** Looks for external changes to keys with this prefix. */
  revalidate(prefix: string): void {
    const start = performance.now();
    const { at, tookMs } = this.#looked;
    const isLong = tookMs > CHEAP_LOOK_MS && this.index.folders.size > FEW_FOLDERS;
    if (isLong && start - at < tookMs / LOOK_SHARE) return;
    this.index.revalidate(prefix);
    this.#looked = { at: start, tookMs: performance.now() - start };
    this.#removeSuperseded();
  }

  /** Appends to the log. */
  record(...lines: LogLine[]): void {
    if (this.readOnly) return;
    this.folder.hidden('', '');
    this.#log.append(lines.map(textOf).join(''));
    this.#appended += lines.length;
    if (this.#appended > 4 * this.#lineCount() + 100_000) this.#compact();
  }

  /** Replaces the settings atomically. */
  changeSettings(settings: BucketSettings): void {
    const file = this.folder.hidden('', 'bucket.json');
    replaceFileSync(this.folder.at(file), [JSON.stringify(settings)]);
    this.settings = settings;
  }

  /** Throws if the bucket has been deleted. */
  mustExist(): void {
    if (this.deleted) throw new S3Error('NoSuchBucket');
  }

  close(): void {
    this.#log.close();
  }

  #lineCount(): number {
    return this.index.records.size + this.history.size;
  }

  #compact(): void {
    const { index, history } = this;
    function* lines() {
      for (const put of index.records.values()) yield textOf({ put });
      for (const [old, versions] of history) yield textOf({ old, versions });
    }
    this.#log.rewrite(lines());
    this.#appended = 0;
  }

  #removeSuperseded(): void {
    const files = this.index.superseded.splice(0);
    if (this.readOnly) return;
    for (const file of files) this.folder.remove(file);
  }
}

/** The multipart uploads in progress of a bucket. They survive a restart. */
class UploadStore {
  readonly #folder: BucketFolder;
  readonly #readOnly: boolean;
  #uploads: Map<string, Upload> | undefined;

  constructor(folder: BucketFolder, readOnly: boolean) {
    this.#folder = folder;
    this.#readOnly = readOnly;
  }

  /** Starts an upload. */
  begin(start: UploadStart): Upload {
    const id = randomBytes(16).toString('hex');
    const folder = this.#folder;
    const half = folder.makeTemporary((made) => {
      folder.makeFolder(made);
      return made;
    });
    const path = folder.hidden('uploads', id);
    writeFileSync(folder.at(`${half}/upload.json`), JSON.stringify(start), { mode: 0o600 });
    renameSync(folder.at(half), folder.at(path));
    const upload = new Upload(folder, id, path, start);
    this.#all().set(id, upload);
    return upload;
  }

  /** An upload of a key; throws `NoSuchUpload`. */
  get(id: string, key: string): Upload {
    const upload = this.#all().get(id);
    if (upload === undefined || upload.start.key !== key || upload.closed) {
      throw new S3Error('NoSuchUpload');
    }
    return upload;
  }

  /** Waits for an upload that is being completed, whatever the result. */
  async ending(id: string): Promise<void> {
    await this.#all()
      .get(id)
      ?.ending?.catch(() => undefined);
  }

  /** Completes an upload by creating its object, once for concurrent calls. If that fails, it is open again. */
  async end(upload: Upload, makeObject: () => Promise<ObjectRecord>): Promise<ObjectRecord> {
    if (upload.ending !== undefined) return upload.ending;
    if (upload.closed) throw new S3Error('NoSuchUpload');
    upload.closed = true;
    upload.ending = makeObject();
    try {
      const record = await upload.ending;
      this.remove(upload);
      return record;
    } catch (error) {
      upload.closed = false;
      upload.ending = undefined;
      throw error;
    }
  }

  /** Ends an upload and deletes its parts. */
  remove(upload: Upload): void {
    upload.closed = true;
    this.#all().delete(upload.id);
    this.#folder.remove(upload.path);
  }

  /** All uploads, by key and then by age. */
  list(): Upload[] {
    return [...this.#all().values()].sort(
      (a, b) =>
        compareNames(a.start.key, b.start.key) ||
        a.start.initiated - b.start.initiated ||
        (a.id < b.id ? -1 : 1),
    );
  }

  #all(): Map<string, Upload> {
    if (this.#uploads !== undefined) return this.#uploads;
    const uploads = new Map<string, Upload>();
    const parent = `${HIDDEN}/uploads`;
    for (const id of this.#folder.read(parent).dirs) {
      const path = `${parent}/${id}`;
      const start: UploadStart = JSON.parse(
        readFileSync(this.#folder.at(`${path}/upload.json`), 'utf8'),
      );
      const upload = new Upload(this.#folder, id, path, start);
      upload.reload(this.#readOnly);
      uploads.set(id, upload);
    }
    this.#uploads = uploads;
    return uploads;
  }
}

/** The keys of a bucket with their records, updated by the server's own writes and the times of directories. */
class BucketIndex {
  readonly keys = new SortedKeys();
  /** By key; a key without a record is an external file that was not read yet. */
  readonly records: Map<string, ObjectRecord>;
  /** Escaped files whose keys got files of their own: to be deleted. */
  readonly superseded: string[] = [];
  readonly #folder: BucketFolder;
  /** The last known state of each directory; a time of -1: it must be read again. */
  readonly folders = new Map<string, { mtimeMs: number; subfolders: Set<string> }>();
  readonly #escaped = new Set<string>();

  constructor(folder: BucketFolder, records: Map<string, ObjectRecord>) {
    this.#folder = folder;
    this.records = records;
  }

  /** Reads everything, yielding to other work in between. */
  async load(): Promise<void> {
    this.#readEscaped(ESCAPED, '');
    let since = performance.now();
    for (const _ of this.#readTree('')) {
      if (performance.now() - since < 10) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
    for (const key of this.records.keys()) if (!this.keys.has(key)) this.records.delete(key);
  }

  /** Looks for external changes in all directories that can have keys with this prefix. */
  revalidate(prefix: string): void {
    for (const [dir, seen] of [...this.folders]) {
      const start = dir === '' ? '' : `${dir}/`;
      if (!start.startsWith(prefix) && !prefix.startsWith(start)) continue;
      if (!this.folders.has(dir)) continue;
      const mtimeMs = this.#folder.folderTime(dir);
      if (mtimeMs === undefined) this.#forgetFolder(dir);
      else if (mtimeMs !== seen.mtimeMs) for (const _ of this.#readTree(dir));
    }
  }

  /** The file of a key that is in the index. */
  fileOf(key: string): string {
    return this.#escaped.has(key) ? escapedFile(key) : key;
  }

  /** A directory exists; its content is read on demand. */
  addFolder(dir: string): void {
    if (this.folders.has(dir)) return;
    this.folders.set(dir, { mtimeMs: -1, subfolders: new Set() });
    const slash = dir.lastIndexOf('/');
    this.folders.get(slash < 0 ? '' : dir.slice(0, slash))?.subfolders.add(dir.slice(slash + 1));
  }

  /** An object was written. */
  put(record: ObjectRecord): void {
    this.keys.add(record.key);
    this.records.set(record.key, record);
    if (record.file === record.key) this.#escaped.delete(record.key);
    else this.#escaped.add(record.key);
  }

  /** An object is gone. */
  remove(key: string): void {
    this.keys.delete(key);
    this.records.delete(key);
    this.#escaped.delete(key);
  }

  /** Whether any key is in a directory. */
  hasKeysIn(dir: string): boolean {
    return this.keys.atOrAfter(`${dir}/`)?.startsWith(`${dir}/`) === true;
  }

  /** Reads a directory and those in it that are new, one at a time. */
  *#readTree(top: string): Generator<void> {
    const waiting = [top];
    for (let dir = waiting.pop(); dir !== undefined; dir = waiting.pop()) {
      for (const below of this.#readFolder(dir)) waiting.push(below);
      yield;
    }
  }

  /** Updates the keys directly in a directory; returns its new subdirectories. */
  #readFolder(dir: string): string[] {
    const before = this.folders.get(dir);
    // Taken first: a change during the read may get the time that the directory has already.
    const nowMs = Date.now();
    const mtimeMs = this.#folder.folderTime(dir);
    const { files, dirs } = this.#folder.read(dir);
    const start = dir === '' ? '' : `${dir}/`;
    const present = new Set<string>();
    for (const name of files) {
      const key = start + name;
      if (plainFile(key) === undefined) continue;
      present.add(key);
      if (!this.#escaped.delete(key)) continue;
      // A file under the key itself replaces an escaped one.
      this.superseded.push(escapedFile(key));
      if (this.records.get(key)?.file !== key) this.records.delete(key);
    }
    if (before !== undefined) {
      const walk = { prefix: start, delimiter: '/', after: '', afterGroup: false };
      const gone: string[] = [];
      for (const each of walkKeys(this.keys, walk)) {
        const isGone = 'key' in each && !present.has(each.key) && !this.#escaped.has(each.key);
        if (isGone) gone.push(each.key);
      }
      for (const key of gone) this.remove(key);
      for (const name of before.subfolders) {
        if (!dirs.includes(name)) this.#forgetFolder(start + name);
      }
    }
    for (const key of present) this.keys.add(key);
    const settled = mtimeMs !== undefined && mtimeMs < nowMs - CLOCK_TICK_MS;
    this.folders.set(dir, { mtimeMs: settled ? mtimeMs : -1, subfolders: new Set(dirs) });
    return dirs.map((name) => start + name).filter((each) => !this.folders.has(each));
  }

  #forgetFolder(dir: string): void {
    const gone: string[] = [];
    for (const key of this.keys.from(`${dir}/`)) {
      if (!key.startsWith(`${dir}/`)) break;
      if (!this.#escaped.has(key)) gone.push(key);
    }
    for (const key of gone) this.remove(key);
    for (const each of [...this.folders.keys()]) {
      if (each === dir || each.startsWith(`${dir}/`)) this.folders.delete(each);
    }
  }

  #readEscaped(folder: string, below: string): void {
    const { files, dirs } = this.#folder.read(folder);
    for (const name of files) {
      const key = keyOfEscapedFile(below + name);
      if (key === undefined) continue;
      this.#escaped.add(key);
      this.keys.add(key);
    }
    for (const name of dirs) this.#readEscaped(`${folder}/${name}`, `${below}${name}/`);
  }
}
