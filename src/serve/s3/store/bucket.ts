import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { S3Error } from '../wire/s3-error.ts';
import { BucketFolder } from './bucket-folder.ts';
import { BucketIndex } from './bucket-index.ts';
import { HIDDEN } from './key-to-file.ts';
import type { DefaultRetention } from './object-lock.ts';
import type { OldVersion } from './object-record.ts';
import type { OpenFolders } from './open-folders.ts';
import { type LoadedLog, type LogLine, loadLog, RecordLog } from './record-log.ts';
import { UploadStore } from './upload-store.ts';

/** What is set for a bucket as a whole. */
interface BucketSettings {
  readonly versioning?: 'Enabled' | 'Suspended';
  /** Versions can be locked; once there, it stays. */
  readonly objectLock?: { readonly rule?: DefaultRetention };
  /** Documents as they came, by subresource (`cors`, `tagging`). */
  readonly documents?: Readonly<Record<string, string>>;
}

/** A look at so few folders is always made, however long a busy machine takes for it. */
const FEW_FOLDERS = 50;
/** A look at more that takes longer than this is not made for every listing, in milliseconds. */
const CHEAP_LOOK_MS = 5;
/** Such looks take at most this part of the time. */
const LOOK_SHARE = 1 / 20;

/**
 * One bucket, once `openBucket` has read it: a folder whose files are its objects, and a hidden folder `.syncer-s3` in it:
 *
 * - `records.log`: a line of JSON for each write: what clients sent with the object and what its file then
 *   looked like (size, time). A file that looks different was changed from outside and is read again.
 * - `keys/`: objects whose keys cannot be file names, see `key-to-file.ts`.
 * - `versions/`: old versions, where versioning is on. `uploads/`: multipart uploads. `tmp/`: half-written files.
 * - `bucket.json`: versioning, policy and the like.
 *
 * Every write goes to `tmp/`, is verified, then written down in the log, then renamed into place. All of the
 * last two happens in one turn of the event loop, so that no two writes come between each other.
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
  /** The bucket was deleted while a request was under way. */
  deleted = false;
  readonly #log: RecordLog;
  /** What the log told when the server started. */
  readonly loaded: LoadedLog;
  #looked = { at: Number.NEGATIVE_INFINITY, tookMs: 0 };

  constructor(name: string, path: string, readOnly: boolean, folders: OpenFolders) {
    this.name = name;
    this.readOnly = readOnly;
    this.folder = new BucketFolder(path, folders);
    if (!readOnly) this.folder.clearTemporary();
    const log = () => this.folder.at(`${HIDDEN}/records.log`);
    this.loaded = loadLog(log);
    this.#log = new RecordLog(log, () => this.folder.at(`${HIDDEN}/records.log.new`));
    this.history = this.loaded.history;
    this.index = new BucketIndex(this.folder, this.loaded.records);
    this.settings = readSettings(this.folder);
    this.uploads = new UploadStore(this.folder, readOnly);
  }

  /** Brings the log and what lies beside the objects in line with what was loaded. */
  tidy(): void {
    this.#removeSuperseded();
    if (!this.readOnly && this.loaded.lines > 2 * this.#lineCount() + 1000) this.#compact();
  }

  /** Looks for changes made from outside to keys with this prefix. */
  revalidate(prefix: string): void {
    const start = performance.now();
    const { at, tookMs } = this.#looked;
    const isLong = tookMs > CHEAP_LOOK_MS && this.index.folderCount > FEW_FOLDERS;
    if (isLong && start - at < tookMs / LOOK_SHARE) return;
    this.index.revalidate(prefix);
    this.#looked = { at: start, tookMs: performance.now() - start };
    this.#removeSuperseded();
  }

  /** Writes into the log. */
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

  /** Throws where the bucket was deleted meanwhile. */
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

/** Reads the settings of a bucket; one that never had any has none. */
function readSettings(folder: BucketFolder): BucketSettings {
  try {
    return JSON.parse(readFileSync(folder.at(`${HIDDEN}/bucket.json`), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Replaces the settings of a bucket at once. */
function writeSettings(folder: BucketFolder, settings: BucketSettings): void {
  const file = folder.hidden('', 'bucket.json');
  writeFileSync(folder.at(`${file}.new`), JSON.stringify(settings), { mode: 0o600 });
  renameSync(folder.at(`${file}.new`), folder.at(file));
}
