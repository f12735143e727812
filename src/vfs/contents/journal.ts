import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { defined } from '../../core/defined.ts';
import { jsonObject } from '../../core/json-object.ts';
import type { FileEntry } from '../../core/remote.ts';
import { isWithin, joinPath } from '../../core/remote-path.ts';
import { replaceFile } from '../../state/replace-file.ts';
import { writeAll, writeNow } from '../../system/file-bytes.ts';
import { makeFolder } from '../../system/make-folder.ts';
import type { QuickDisk } from '../../system/quick-disk.ts';
import { isDiskFull } from './disk-error.ts';

/** Up to this size, in bytes, a journal is not rewritten; beyond it, when it has doubled. */
const SMALL = 4 * 1024 * 1024;
/** It grows by this many zeros at a time, in bytes: overwriting them halves the cost of a sync. */
const ROOM = 256 * 1024;
/** Limit of file contents in it, in characters; they are kept in memory too. */
const CONTENTS = 8 * 1024 * 1024;

interface Waiting {
  readonly text: Buffer;
  readonly resolve: () => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * The file with the state of each cached file: lines that are only appended, and rewritten from time to time. A line
 * survives the end of the program, and after `sync` a power cut. Lines are written and synced together.
 */
export class Journal {
  /** The valid records, by id. */
  readonly records: ReadonlyMap<string, JournalRecord>;
  /** Lines of an earlier run cannot be read: records may be missing. */
  readonly isDamaged: boolean;
  readonly #live: LiveRecords;
  readonly #path: string;
  readonly #disk: QuickDisk;
  readonly #lost: () => Promise<void>;
  /** Another program has deleted the file: what is added to it would be lost. */
  #isDeleted = false;
  #file: Awaited<ReturnType<typeof open>> | undefined;
  /** The end of the last line, and of the zeros after it. */
  #end: number;
  #roomEnd = 0;
  /** Its size when it was last rewritten. */
  #compact = 0;
  /** The file from an earlier run may end in the middle of a line. */
  #isOld: boolean;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  /** Something was added since the last sync started. */
  #isUnsynced = false;
  #syncing: Promise<void> | undefined;
  #nextSync: Promise<void> | undefined;
  #number = 0;

  /**
   * Reads the file. Throws errors of the file system.
   *
   * @param lost is called before the file is written again because another program has deleted it
   */
  constructor(path: string, disk: QuickDisk, lost: () => Promise<void> = async () => {}) {
    this.#path = path;
    this.#lost = lost;
    this.#disk = disk;
    const isThere = fs.existsSync(path);
    const content = isThere ? fs.readFileSync(path) : Buffer.alloc(0);
    this.#live = new LiveRecords(content.toString('utf8'));
    this.isDamaged = isThere && this.#live.isDamaged;
    this.records = this.#live.byId;
    for (const { number } of this.records.values()) this.#number = Math.max(this.#number, number);
    this.#end = content.length;
    this.#isOld = content.length > 0;
  }

  /** The number for the next record. */
  nextNumber(): number {
    return ++this.#number;
  }

  /** Whether records may hold this many more bytes of contents. */
  takesContent(bytes: number): boolean {
    return this.#live.contentLength + bytes * 1.4 <= CONTENTS;
  }

  /** Adds a record, and drops those of the ids in `gone`. Resolves when it survives the end of the program. */
  put(record: JournalRecord, gone: readonly string[] = []): Promise<void> {
    return this.#add(gone.length === 0 ? { put: record } : { put: record, gone });
  }

  /** Drops records. */
  async drop(ids: readonly string[]): Promise<void> {
    const known = ids.filter((id) => this.records.has(id));
    if (known.length > 0) await this.#add({ gone: known });
  }

  /** The bytes of these are on disk. */
  async markSafe(records: readonly (readonly [id: string, number: number])[]): Promise<void> {
    if (records.length > 0) await this.#add({ safe: records });
  }

  moveDir(from: string, to: string): Promise<void> {
    return this.#add({ dir: [from, to] });
  }

  /** Resolves when everything added before is on disk. Calls during a sync share the next one. */
  sync(): Promise<void> {
    if (this.#syncing === undefined) {
      if (!this.#isUnsynced) return Promise.resolve();
      this.#syncing = this.#sync().finally(() => {
        this.#syncing = undefined;
      });
      return this.#syncing;
    }
    // The running one may have started before the last line was added.
    this.#nextSync ??= this.#syncing
      .catch(() => undefined)
      .then(() => {
        this.#nextSync = undefined;
        return this.sync();
      });
    return this.#nextSync;
  }

  async close(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    await (this.#nextSync ?? this.#syncing)?.catch(() => undefined);
    const file = this.#file;
    this.#file = undefined;
    await file?.truncate(this.#end).catch(() => undefined);
    await file?.close();
  }

  #add(line: JournalLine): Promise<void> {
    this.#live.apply(line);
    this.#isUnsynced = true;
    const { fd = -1 } = this.#file ?? {};
    if (fd >= 0 && fs.fstatSync(fd).nlink === 0) this.#isDeleted = true;
    const text = Buffer.from(encodeLine(line), 'utf8');
    if (this.#addNow(text)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  /** Adds a line synchronously if there is space for it and the disk is not busy. */
  #addNow(text: Buffer): boolean {
    const file = this.#file;
    const isFree = this.#writing === undefined && this.#end + text.length <= this.#roomEnd;
    if (file === undefined || !isFree || this.#isLong || !this.#disk.isQuick) return false;
    try {
      this.#disk.run(() => writeNow(file.fd, text, this.#end));
    } catch {
      // The line is written again later, and the error then reported.
      return false;
    }
    this.#end += text.length;
    return true;
  }

  get #isLong(): boolean {
    return this.#isOld || this.#isDeleted || this.#end > Math.max(SMALL, 2 * this.#compact);
  }

  async #sync(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    this.#isUnsynced = false;
    try {
      await this.#file?.datasync();
    } catch (thrown) {
      this.#isUnsynced = true;
      throw thrown;
    }
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#isLong) {
          // These lines are in `records` already: they must not be written twice.
          for (const each of this.#waiting.splice(0)) batch.push(each);
          await this.#rewrite();
        } else await this.#append(batch);
        for (const { resolve } of batch) resolve();
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
    }
    this.#writing = undefined;
  }

  async #append(batch: readonly Waiting[]): Promise<void> {
    this.#file ??= await open(this.#path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    const text = Buffer.concat(batch.map((each) => each.text));
    await writeAll(this.#file.fd, text, this.#end);
    this.#end += text.length;
    if (this.#end < this.#roomEnd) return;
    try {
      await writeAll(this.#file.fd, Buffer.alloc(ROOM), this.#end);
      this.#roomEnd = this.#end + ROOM;
    } catch (thrown) {
      // The zeros are optional.
      if (!isDiskFull(thrown)) throw thrown;
    }
  }

  /** Waiting lines are in `records` already. */
  async #rewrite(): Promise<void> {
    if (this.#isDeleted) {
      await makeFolder(dirname(this.#path), 0o700);
      await this.#lost();
    }
    const text = Buffer.from(
      [...this.records.values()].map((put) => encodeLine({ put })).join(''),
      'utf8',
    );
    await replaceFile(this.#path, text);
    const file = await open(this.#path, 'r+');
    await this.#file?.close();
    this.#file = file;
    this.#end = text.length;
    this.#roomEnd = text.length;
    this.#compact = text.length;
    this.#isOld = false;
    this.#isDeleted = false;
  }
}

/** The valid records at the end of a journal: the newest of each file. */
class LiveRecords {
  readonly byId = new Map<string, JournalRecord>();
  /** The length of all file contents in the records, in characters. */
  contentLength = 0;
  /** Lines were not whole, or there was none. */
  readonly isDamaged: boolean;

  /** @param text of the journal; skips lines that are not whole */
  constructor(text: string) {
    let [read, damaged] = [0, 0];
    const lines = text.split('\n');
    for (const [index, each] of lines.entries()) {
      const line = decodeLine(each);
      if (line !== undefined) {
        this.apply(line);
        read++;
        // The last line may be cut, or be zeros behind the others: that is no damage.
      } else if (index < lines.length - 1 && /[^\0]/.test(each)) {
        damaged++;
        // The records of what it seems to name may be out of date; none of a line that could only say that bytes are safe.
        const ids = each.startsWith('{"safe"', 9) ? [] : (each.match(/[0-9a-f]{24}/g) ?? []);
        for (const id of ids) {
          const record = this.byId.get(id);
          if (record !== undefined) this.#set({ ...record, unsure: true });
        }
      }
    }
    this.isDamaged = damaged > 0 || read === 0;
  }

  /** Applies the next line. */
  apply(line: JournalLine): void {
    if ('put' in line) this.#set(line.put);
    for (const id of ('gone' in line && line.gone) || []) {
      this.contentLength -= this.byId.get(id)?.content?.length ?? 0;
      this.byId.delete(id);
    }
    if ('safe' in line) {
      for (const [id, number] of line.safe) {
        const record = this.byId.get(id);
        if (record?.number === number) this.#set({ ...record, safe: true });
      }
    }
    if ('dir' in line) {
      const [from, to] = line.dir;
      for (const record of this.byId.values()) {
        if (!isWithin(from, record.path)) continue;
        const path = joinPath(to, record.path.slice(from.length + 1));
        this.#set({ ...record, path });
      }
    }
  }

  #set(record: JournalRecord): void {
    const old = this.byId.get(record.id)?.content?.length ?? 0;
    this.contentLength += (record.content?.length ?? 0) - old;
    this.byId.set(record.id, record);
  }
}

/**
 * The state of a cached file.
 *
 * - `open`: changed and not closed since: its changes do not count yet.
 * - `pending`: closed, and its content of that moment has to be uploaded.
 * - `clean`: its bytes are those of the remote.
 */
export type CacheState = 'open' | 'pending' | 'clean';

/** The journal's record of one cached file. Values are as JSON has them. */
export interface JournalRecord {
  /** Names the data file. */
  readonly id: string;
  /** Increases with every record: a `safe` line refers to it. */
  readonly number: number;
  readonly path: string;
  readonly state: CacheState;
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly modTime: string;
  /** Which bytes are local, as `RangeSet.edges`; the rest is on the remote. */
  readonly edges: readonly number[];
  /** The object on the remote that it comes from. */
  readonly base?: StoredEntry;
  /** ETags of uploads that were about to replace that object: bytes that are not local may be of one of these. */
  readonly sent?: readonly string[];
  /** The boot of the machine in which it was written: what was written since can be read back. */
  readonly boot: string;
  /** The content of a small pending file, in base64: it is safe as soon as the journal is. */
  readonly content?: string;
  /** The bytes are on disk, and survive a power cut. */
  readonly safe?: boolean;
  /** A damaged line after it names its file: it may be out of date. */
  readonly unsure?: boolean;
  /** When it was last used, in milliseconds since the epoch. */
  readonly used: number;
}

/** One line of the journal. */
type JournalLine =
  | { readonly put: JournalRecord; readonly gone?: readonly string[] }
  | { readonly gone: readonly string[] }
  /** These records, each with its number, are safe. */
  | { readonly safe: readonly (readonly [id: string, number: number])[] }
  /** A directory was renamed. */
  | { readonly dir: readonly [from: string, to: string] };

/** An entry as JSON: what identifies its content, and what is needed to read it. */
export interface StoredEntry
  extends Pick<FileEntry, 'path' | 'size' | 'hashes' | 'etag' | 'contentTag' | 'id' | 'mimeType'> {
  readonly modTime?: string;
  readonly storedTime?: string;
}

/** The stored form of an entry. */
export function storeEntry(file: FileEntry): StoredEntry {
  const { path, size, hashes, etag, contentTag, id, mimeType } = file;
  const [modTime, storedTime] = [file.modTime?.toString(), file.storedTime?.toString()];
  return defined({ path, size, hashes, etag, contentTag, id, mimeType, modTime, storedTime });
}

/** The entry of a stored form. */
export function restoreEntry({ modTime, storedTime, ...stored }: StoredEntry): FileEntry {
  const time = (text: string | undefined) => (text === undefined ? undefined : BigInt(text));
  const times = defined({ modTime: time(modTime), storedTime: time(storedTime) });
  return { kind: 'file', ...stored, ...times };
}

/** A line with its checksum, by which a truncated line is detected. */
function encodeLine(line: JournalLine): string {
  const text = JSON.stringify(line);
  return `${checksum(text)} ${text}\n`;
}

/** `undefined` for anything but a whole line of a journal. */
function decodeLine(text: string): JournalLine | undefined {
  const json = text.slice(9);
  if (text.charAt(8) !== ' ' || text.slice(0, 8) !== checksum(json)) return undefined;
  const line = jsonObject<JournalLine>(json);
  return line === undefined || !('put' in line) || isRecord(line.put) ? line : undefined;
}

/** Whether this names a data file, and so nothing that could leave their directory. */
export const isCacheId = (name: string): boolean => /^[0-9a-f]{24}$/.test(name);

function isRecord(record: JournalRecord): boolean {
  return (
    isCacheId(record.id) &&
    typeof record.path === 'string' &&
    Number.isSafeInteger(record.size) &&
    Array.isArray(record.edges) &&
    /^-?\d+$/.test(record.modTime) &&
    ['undefined', 'string'].includes(typeof record.content) &&
    (record.sent === undefined || Array.isArray(record.sent))
  );
}

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');
