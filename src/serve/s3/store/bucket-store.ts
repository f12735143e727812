import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { createServer, isIPv4 } from 'node:net';
import { SyncerError } from '../../../core/errors.ts';
import { makeFolderSync } from '../../../system/make-folder.ts';
import { S3Error } from '../wire/s3-error.ts';
import { Bucket } from './bucket.ts';
import { type BucketFolder, HIDDEN } from './bucket-folder.ts';
import { adoptReplaced } from './find-object.ts';
import { FRESH_MS, OpenFolders } from './open-folders.ts';
import { adoptHistory } from './versions.ts';

/** Longest name of a directory, in bytes. */
const MAX_NAME = 255;

/** The directory of the server: each directory in it is a bucket. */
export class BucketStore {
  readonly #root: string;
  readonly #readOnly: boolean;
  readonly #unlock: () => Promise<void>;
  readonly #folders = new OpenFolders();
  readonly #open = new Map<string, Promise<Bucket>>();
  /** The bucket that `recent` was asked for last, and when it was there. */
  #seen = { name: '', at: 0 };

  private constructor(root: string, readOnly: boolean, unlock: () => Promise<void>) {
    this.#root = root;
    this.#readOnly = readOnly;
    this.#unlock = unlock;
  }

  /** Opens a directory, created unless read-only. Rejects with `directory-not-found`, `not-a-directory` or `locked`. */
  static async open(root: string, readOnly: boolean): Promise<BucketStore> {
    if (!readOnly) makeFolderSync(root);
    const stats = statSync(root, { throwIfNoEntry: false });
    if (stats === undefined) {
      throw new SyncerError('directory-not-found', `cannot serve ${root}: no such directory`);
    }
    if (!stats.isDirectory()) {
      throw new SyncerError('not-a-directory', `cannot serve ${root}: not a directory`);
    }
    if (!existsSync('/proc/self/fd')) {
      throw new SyncerError('other', `cannot serve ${root}: /proc is not mounted`);
    }
    const unlock = readOnly ? async () => {} : await lockFolder(root);
    return new BucketStore(realpathSync(root), readOnly, unlock);
  }

  /** All buckets, by name, without directories whose names start with a dot and symbolic links. */
  list(): { readonly name: string; readonly created: number }[] {
    const buckets = [];
    for (const name of readdirSync(this.#root)) {
      const created = this.#created(name);
      if (created !== undefined) buckets.push({ name, created });
    }
    return buckets.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** A bucket, read and ready. Throws `NoSuchBucket`. */
  async get(name: string): Promise<Bucket> {
    this.#folders.checkAgain();
    if (this.#created(name) === undefined) {
      await this.#forget(name);
      throw new S3Error('NoSuchBucket', { elements: { BucketName: name } });
    }
    const open = this.#open.get(name);
    if (open !== undefined) return open;
    const opening = this.#openBucket(name);
    this.#open.set(name, opening);
    opening.catch(() => this.#open.delete(name));
    return opening;
  }

  /** As `get`; one that was there a moment ago counts, for reading objects: their files are looked at anyway. */
  async recent(name: string): Promise<Bucket> {
    const open = this.#open.get(name);
    if (open !== undefined && name === this.#seen.name) {
      if (performance.now() - this.#seen.at < FRESH_MS) return open;
    }
    const bucket = await this.get(name);
    this.#seen = { name, at: performance.now() };
    return bucket;
  }

  /** Creates a bucket; `false` if it exists. Throws `InvalidBucketName`, `BucketAlreadyExists`. */
  create(name: string): boolean {
    const isValid = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !/[.-]\.|\.-/.test(name);
    if (!isValid || isIPv4(name)) throw new S3Error('InvalidBucketName');
    if (this.#created(name) !== undefined) return false;
    try {
      mkdirSync(`${this.#root}/${name}`);
    } catch (error) {
      // A file or a symbolic link.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new S3Error('BucketAlreadyExists');
    }
    return true;
  }

  /** Deletes an empty bucket. Throws `BucketNotEmpty`. */
  async remove(name: string): Promise<void> {
    const bucket = await this.get(name);
    bucket.index.revalidate('');
    const isEmpty = bucket.index.keys.atOrAfter('') === undefined && bucket.history.size === 0;
    if (!isEmpty) throw new S3Error('BucketNotEmpty');
    this.#close(name, bucket);
    bucket.folder.remove(HIDDEN);
    bucket.folder.forgetHidden();
    removeEmptyFolders(bucket.folder, '');
  }

  /** Closes every file and unlocks the directory. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#open.keys()].map((name) => this.#forget(name)));
    this.#folders.close();
    await this.#unlock();
  }

  #created(name: string): number | undefined {
    if (name.startsWith('.') || name.includes('/') || name.includes('\0')) return undefined;
    if (name.length > MAX_NAME) return undefined;
    const stats = lstatSync(`${this.#root}/${name}`, { throwIfNoEntry: false });
    return stats?.isDirectory() ? stats.birthtimeMs : undefined;
  }

  /** Reads a directory and its log, and repairs what an interrupted server left. */
  async #openBucket(name: string): Promise<Bucket> {
    const bucket = new Bucket(name, `${this.#root}/${name}`, this.#readOnly, this.#folders);
    await bucket.index.load();
    const { replaced, intact } = bucket.loaded;
    if (replaced !== undefined) adoptReplaced(bucket, replaced);
    adoptHistory(bucket, intact);
    bucket.tidy();
    return bucket;
  }

  async #forget(name: string): Promise<void> {
    const bucket = await this.#open.get(name);
    if (bucket !== undefined) this.#close(name, bucket);
  }

  #close(name: string, bucket: Bucket): void {
    this.#open.delete(name);
    bucket.deleted = true;
    bucket.close();
  }
}

/** Deletes a directory that contains only directories. Throws `BucketNotEmpty` for any other content. */
function removeEmptyFolders(folder: BucketFolder, dir: string): void {
  for (const name of folder.read(dir).dirs) {
    removeEmptyFolders(folder, dir === '' ? name : `${dir}/${name}`);
  }
  try {
    folder.removeFolder(dir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') throw new S3Error('BucketNotEmpty');
    throw error;
  }
}

/** Only one server writes to a directory: an abstract socket named after it, deleted with the process. */
async function lockFolder(root: string): Promise<() => Promise<void>> {
  const { dev, ino } = statSync(root);
  const server = createServer((socket) => socket.destroy());
  try {
    await once(server.listen(`\0syncer-serve-s3-${dev}-${ino}`), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new SyncerError(
      'locked',
      `cannot serve ${root}: another server already serves this directory; stop it, or use --read-only`,
      { path: root, cause: error },
    );
  }
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}
