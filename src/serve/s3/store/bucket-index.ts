import type { BucketFolder } from './bucket-folder.ts';
import { ESCAPED, escapedFile, keyOfEscapedFile, plainFile } from './key-to-file.ts';
import type { ObjectRecord } from './object-record.ts';
import { SortedKeys, walkKeys } from './sorted-keys.ts';

/** The last known state of a directory. */
interface SeenFolder {
  /** -1: it must be read again. */
  mtimeMs: number;
  subfolders: Set<string>;
}

/** A directory changed less than this long ago can change again without its time changing, in milliseconds. */
const CLOCK_TICK_MS = 50;

/**
 * The keys of a bucket, in order, with their records. Read from the directory once; afterwards updated by the
 * server's own writes, and by the times of the directories, which show external changes.
 */
export class BucketIndex {
  readonly keys = new SortedKeys();
  /** By key; a key without a record is an external file that was not read yet. */
  readonly records: Map<string, ObjectRecord>;
  /** Escaped files whose keys got files of their own: to be deleted. */
  readonly superseded: string[] = [];
  readonly #folder: BucketFolder;
  readonly #folders = new Map<string, SeenFolder>();
  readonly #escaped = new Set<string>();

  constructor(folder: BucketFolder, records: Map<string, ObjectRecord>) {
    this.#folder = folder;
    this.records = records;
  }

  /** Reads everything, yielding to other work in between. */
  async load(): Promise<void> {
    let since = performance.now();
    const pause = async () => {
      if (performance.now() - since < 10) return;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    };
    this.#readEscaped(ESCAPED, '');
    const waiting = [''];
    for (let dir = waiting.pop(); dir !== undefined; dir = waiting.pop()) {
      for (const below of this.#readFolder(dir)) waiting.push(below);
      await pause();
    }
    for (const key of this.records.keys()) if (!this.keys.has(key)) this.records.delete(key);
  }

  /** Looks for external changes in all directories that can have keys with this prefix. */
  revalidate(prefix: string): void {
    for (const [dir, seen] of [...this.#folders]) {
      const start = dir === '' ? '' : `${dir}/`;
      if (!start.startsWith(prefix) && !prefix.startsWith(start)) continue;
      if (!this.#folders.has(dir)) continue;
      const mtimeMs = this.#folder.folderTime(dir);
      if (mtimeMs === undefined) this.#forgetFolder(dir);
      else if (mtimeMs !== seen.mtimeMs) this.#readTree(dir);
    }
  }

  /** The file of a key that is in the index. */
  fileOf(key: string): string {
    return this.#escaped.has(key) ? escapedFile(key) : key;
  }

  get folderCount(): number {
    return this.#folders.size;
  }

  hasFolder(dir: string): boolean {
    return this.#folders.has(dir);
  }

  /** A directory exists; its content is read on demand. */
  addFolder(dir: string): void {
    if (this.#folders.has(dir)) return;
    this.#folders.set(dir, { mtimeMs: -1, subfolders: new Set() });
    const slash = dir.lastIndexOf('/');
    this.#folders.get(slash < 0 ? '' : dir.slice(0, slash))?.subfolders.add(dir.slice(slash + 1));
  }

  /** A directory is gone. */
  dropFolder(dir: string): void {
    this.#folders.delete(dir);
  }

  /** An object was written. */
  put(record: ObjectRecord): void {
    this.keys.add(record.key);
    this.records.set(record.key, record);
    if (record.file === record.key) this.#escaped.delete(record.key);
    else this.#escaped.add(record.key);
  }

  /** An external file was found under its key. */
  addFile(key: string): void {
    this.keys.add(key);
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

  #readTree(top: string): void {
    const waiting = [top];
    for (let dir = waiting.pop(); dir !== undefined; dir = waiting.pop()) {
      for (const below of this.#readFolder(dir)) waiting.push(below);
    }
  }

  /** Updates the keys directly in a directory; returns its new subdirectories. */
  #readFolder(dir: string): string[] {
    const before = this.#folders.get(dir);
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
      for (const key of this.#keysIn(start)) {
        if (!present.has(key) && !this.#escaped.has(key)) this.remove(key);
      }
      for (const name of before.subfolders) {
        if (!dirs.includes(name)) this.#forgetFolder(start + name);
      }
    }
    for (const key of present) this.keys.add(key);
    const settled = mtimeMs !== undefined && mtimeMs < nowMs - CLOCK_TICK_MS;
    this.#folders.set(dir, { mtimeMs: settled ? mtimeMs : -1, subfolders: new Set(dirs) });
    return dirs.map((name) => start + name).filter((each) => !this.#folders.has(each));
  }

  #keysIn(start: string): string[] {
    const keys: string[] = [];
    const walk = { prefix: start, delimiter: '/', after: '', afterGroup: false };
    for (const each of walkKeys(this.keys, walk)) if ('key' in each) keys.push(each.key);
    return keys;
  }

  #forgetFolder(dir: string): void {
    const gone: string[] = [];
    for (const key of this.keys.from(`${dir}/`)) {
      if (!key.startsWith(`${dir}/`)) break;
      if (!this.#escaped.has(key)) gone.push(key);
    }
    for (const key of gone) this.remove(key);
    for (const each of [...this.#folders.keys()]) {
      if (each === dir || each.startsWith(`${dir}/`)) this.#folders.delete(each);
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
