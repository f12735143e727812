import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { compareNames } from '../../../core/name-order.ts';
import { replaceFileSync } from '../../../state/replace-file.ts';
import { S3Error } from '../wire/s3-error.ts';
import { BucketFolder } from './bucket-folder.ts';
import { BucketIndex } from './bucket-index.ts';
import { HIDDEN } from './key-to-file.ts';
import type { DefaultRetention } from './object-lock.ts';
import type { ObjectRecord, OldVersion } from './object-record.ts';
import type { OpenFolders } from './open-folders.ts';
import { type LoadedLog, type LogLine, loadLog, RecordLog } from './record-log.ts';
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
 * One bucket, once `openBucket` has read it: a directory whose files are its objects, and a hidden directory
 * `.syncer-s3` in it:
 *
 * - `records.log`: a line of JSON for each write: what clients sent with the object and its file's size and time. A
 * file that differs from them was changed externally and is read again.
 * - `keys/`: objects whose keys cannot be file names, see `key-to-file.ts`.
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
  readonly #log: RecordLog;
  /** The content of the log when the server started. */
  readonly loaded: LoadedLog;
  #looked = { at: Number.NEGATIVE_INFINITY, tookMs: 0 };

  constructor(name: string, path: string, readOnly: boolean, folders: OpenFolders) {
    this.name = name;
    this.readOnly = readOnly;
    this.folder = new BucketFolder(path, folders);
    if (!readOnly) this.folder.clearTemporary();
    const log = () => this.folder.at(`${HIDDEN}/records.log`);
    this.loaded = loadLog(log);
    this.#log = new RecordLog(log);
    this.history = this.loaded.history;
    this.index = new BucketIndex(this.folder, this.loaded.records);
    this.settings = readSettings(this.folder);
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
    const isLong = tookMs > CHEAP_LOOK_MS && this.index.folderCount > FEW_FOLDERS;
    if (isLong && start - at < tookMs / LOOK_SHARE) return;
    this.index.revalidate(prefix);
    this.#looked = { at: start, tookMs: performance.now() - start };
    this.#removeSuperseded();
  }

  /** Appends to the log. */
  record(...lines: LogLine[]): void {
    if (this.readOnly) return;
    this.folder.hidden('', '');
    this.#log.append(...lines);
    if (this.#log.appended > 4 * this.#lineCount() + 100_000) this.#compact();
  }

  changeSettings(settings: BucketSettings): void {
    writeSettings(this.folder, settings);
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
    this.#log.rewrite(this.#allLines());
  }

  *#allLines(): Generator<LogLine> {
    for (const put of this.index.records.values()) yield { put };
    for (const [old, versions] of this.history) yield { old, versions };
  }

  #removeSuperseded(): void {
    const files = this.index.superseded.splice(0);
    if (this.readOnly) return;
    for (const file of files) this.folder.remove(file);
  }
}

/** Reads the settings of a bucket; none by default. */
function readSettings(folder: BucketFolder): BucketSettings {
  try {
    return JSON.parse(readFileSync(folder.at(`${HIDDEN}/bucket.json`), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Replaces the settings of a bucket atomically. */
function writeSettings(folder: BucketFolder, settings: BucketSettings): void {
  const file = folder.hidden('', 'bucket.json');
  replaceFileSync(folder.at(file), [JSON.stringify(settings)]);
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
    const path = this.#folder.hidden('uploads', id);
    const half = this.#folder.temporary();
    const folder = this.#folder;
    folder.makeFolder(half);
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

  /**
   * Completes an upload by creating its object; concurrent calls get the same result. Parts cannot be added from here
   * on; on failure the upload is open again.
   */
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
    this.#uploads ??= this.#load();
    return this.#uploads;
  }

  #load(): Map<string, Upload> {
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
    return uploads;
  }
}
