import fs from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { isWithin, joinPath } from '../../core/remote-path.ts';
import { decodeLine, encodeLine } from './journal-line.ts';
import type { JournalLine, JournalRecord } from './journal-record.ts';
import { syncFolder } from './sync-to-disk.ts';

/** Up to four times this size, in bytes, a journal is not written anew. */
const SMALL = 256 * 1024;

interface Waiting {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * The one file that says what each cached file is, made of lines that are only ever added; from time to time it is
 * written anew with what still counts. A line that was added survives the end of the program; `sync` makes it survive
 * a power cut. Many lines are written, and synced, at once.
 */
export class Journal {
  /** What counts, by id. */
  readonly records: ReadonlyMap<string, JournalRecord>;
  readonly #records: Map<string, JournalRecord>;
  readonly #path: string;
  #file: Awaited<ReturnType<typeof open>> | undefined;
  #end: number;
  /** Its size when it was last written anew. */
  #compact = SMALL;
  /** What was found may end in the middle of a line. */
  #isOld: boolean;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  #nextSync: Promise<void> | undefined;
  #number = 0;

  /** Reads what is there. Throws errors of the file system. */
  constructor(path: string) {
    this.#path = path;
    const content = fs.existsSync(path) ? fs.readFileSync(path) : Buffer.alloc(0);
    this.#records = readJournal(content.toString('utf8'));
    this.records = this.#records;
    for (const { number } of this.#records.values()) this.#number = Math.max(this.#number, number);
    this.#end = content.length;
    this.#isOld = content.length > 0;
  }

  /** The number for the next record. */
  nextNumber(): number {
    return ++this.#number;
  }

  /** Adds a record, in place of others (`gone`) where it says so. Resolves when it survives the end of the program. */
  put(record: JournalRecord, gone: readonly string[] = []): Promise<void> {
    return this.#add(gone.length === 0 ? { put: record } : { put: record, gone });
  }

  /** These count no longer. */
  async drop(ids: readonly string[]): Promise<void> {
    const known = ids.filter((id) => this.#records.has(id));
    if (known.length > 0) await this.#add({ gone: known });
  }

  /** The bytes of these are on the disk. */
  async markSafe(records: readonly (readonly [id: string, number: number])[]): Promise<void> {
    if (records.length > 0) await this.#add({ safe: records });
  }

  moveDir(from: string, to: string): Promise<void> {
    return this.#add({ dir: [from, to] });
  }

  /** Resolves when all that was added before is on the disk. */
  sync(): Promise<void> {
    if (this.#syncing === undefined) {
      this.#syncing = this.#sync().finally(() => {
        this.#syncing = undefined;
      });
      return this.#syncing;
    }
    // The one that runs may have begun before the last line was added.
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
    await this.#syncing?.catch(() => undefined);
    await this.#file?.close();
    this.#file = undefined;
  }

  #add(line: JournalLine): Promise<void> {
    applyLine(this.#records, line);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text: encodeLine(line), resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  async #sync(): Promise<void> {
    await this.#writing;
    await this.#file?.datasync();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        if (this.#isOld || this.#end > 4 * this.#compact) {
          // What `records` knows by now is written with them: it must not be said once more.
          batch.push(...this.#waiting.splice(0));
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
    const text = batch.map((each) => each.text).join('');
    const size = await writeAll(this.#file, text, this.#end);
    this.#end += size;
  }

  /** What the lines say that wait is in `records` already. */
  async #rewrite(): Promise<void> {
    const temporary = `${this.#path}.new`;
    const file = await open(temporary, 'w', 0o600);
    const lines = [...this.#records.values()].map((put) => encodeLine({ put }));
    const size = await writeAll(file, lines.join(''), 0);
    await file.datasync();
    await rename(temporary, this.#path);
    await syncFolder(this.#path);
    await this.#file?.close();
    this.#file = file;
    this.#end = size;
    this.#compact = Math.max(size, SMALL);
    this.#isOld = false;
  }
}

async function writeAll(
  file: Awaited<ReturnType<typeof open>>,
  text: string,
  position: number,
): Promise<number> {
  const bytes = Buffer.from(text, 'utf8');
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
  return bytes.length;
}

/** What counts at the end of a journal. Lines that are not whole are passed over. */
function readJournal(text: string): Map<string, JournalRecord> {
  const records = new Map<string, JournalRecord>();
  for (const each of text.split('\n')) {
    const line = decodeLine(each);
    if (line !== undefined) applyLine(records, line);
  }
  return records;
}

function applyLine(records: Map<string, JournalRecord>, line: JournalLine): void {
  if ('put' in line) records.set(line.put.id, line.put);
  if ('gone' in line) for (const id of line.gone ?? []) records.delete(id);
  if ('safe' in line) {
    for (const [id, number] of line.safe) {
      const record = records.get(id);
      if (record?.number === number) records.set(id, { ...record, safe: true });
    }
  }
  if ('dir' in line) {
    const [from, to] = line.dir;
    for (const record of records.values()) {
      if (!isWithin(from, record.path)) continue;
      const path = joinPath(to, record.path.slice(from.length + 1));
      records.set(record.id, { ...record, path });
    }
  }
}
