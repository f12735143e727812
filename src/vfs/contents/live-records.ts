import { isWithin, joinPath } from '../../core/remote-path.ts';
import type { JournalLine, JournalRecord } from './journal-record.ts';

/** What counts at the end of a journal: the newest record of each file. */
export class LiveRecords {
  readonly #byId = new Map<string, JournalRecord>();
  #contentLength = 0;

  /** By id. */
  get byId(): ReadonlyMap<string, JournalRecord> {
    return this.#byId;
  }

  /** So much of the records are contents of files, in characters. */
  get contentLength(): number {
    return this.#contentLength;
  }

  /** Takes in the next line. */
  apply(line: JournalLine): void {
    if ('put' in line) this.#set(line.put);
    if ('gone' in line) for (const id of line.gone ?? []) this.#delete(id);
    if ('safe' in line) {
      for (const [id, number] of line.safe) {
        const record = this.#byId.get(id);
        if (record?.number === number) this.#set({ ...record, safe: true });
      }
    }
    if ('dir' in line) {
      const [from, to] = line.dir;
      for (const record of this.#byId.values()) {
        if (!isWithin(from, record.path)) continue;
        const path = joinPath(to, record.path.slice(from.length + 1));
        this.#set({ ...record, path });
      }
    }
  }

  #set(record: JournalRecord): void {
    this.#contentLength += lengthOf(record) - lengthOf(this.#byId.get(record.id));
    this.#byId.set(record.id, record);
  }

  #delete(id: string): void {
    this.#contentLength -= lengthOf(this.#byId.get(id));
    this.#byId.delete(id);
  }
}

function lengthOf(record: JournalRecord | undefined): number {
  return record?.content?.length ?? 0;
}
