import { hash } from 'node:crypto';
import type { Clock } from '../core/context.ts';
import { FirstTrouble } from '../segments/first-trouble.ts';
import { FreshRecords } from '../segments/fresh-records.ts';
import type { RecordFormat, RecordSource } from '../segments/record-format.ts';
import { SegmentFinder } from '../segments/segment-finder.ts';
import { SegmentFolder } from '../segments/segment-folder.ts';
import { comparableSegments, pauses, writeSegment } from '../segments/write-segment.ts';
import { hashFormat, readMsOf } from './hash-format.ts';
import { type HashRecord, laterRecord, latestRecord } from './hash-record.ts';

/** Options of the cache. */
export interface HashCacheOptions {
  /** The directory of its files; created if missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** Called once, with the reason, if there is no cache or it cannot be written. */
  readonly onTrouble: (error: unknown) => void;
  /** Number of records that are written together; 16,384 by default. The rest is written at the end. */
  readonly mostUnwritten?: number;
}

/** Limit of all its files, in bytes. */
const MAX_BYTES = 4 * 1024 ** 3;
const MOST_UNWRITTEN = 16_384;

/** After this time what was learned is written, so that an interrupted run loses little; in milliseconds. */
const WRITE_AFTER_MS = 15_000;

/** Files whose content was not read for this long are forgotten, in milliseconds: they may be gone. */
const FORGET_AFTER_MS = 3 * 366 * 24 * 3_600_000;

/** The store of this machine's disks. */
export const DISK_STORE = 'disk';

/** Its id, computed ahead: loading `node:crypto` would take eight milliseconds. */
const DISK_ID = '1044dec7206e8d7c9fbb4ae8f7666684';

/** What is known of one server or disk. */
interface Store {
  readonly id: string;
  fresh: FreshRecords<HashRecord>;
  /** Being written. */
  leaving: FreshRecords<HashRecord>;
  finders: readonly SegmentFinder<HashRecord>[] | undefined;
}

/**
 * The hashes that runs have computed. What is lost is computed again. Nothing here rejects; without a usable directory
 * it knows what this run has learned.
 */
export class HashCache {
  readonly clock: Clock;
  readonly #options: HashCacheOptions;
  readonly #format: RecordFormat<HashRecord>;
  #folder: SegmentFolder<HashRecord> | undefined;
  readonly #stores = new Map<string, Store>();
  #count = 0;
  #writtenMs: number;
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #hasWritten = false;
  readonly #trouble: FirstTrouble;

  constructor(options: HashCacheOptions) {
    const { folder, clock } = options;
    this.clock = clock;
    this.#options = options;
    this.#format = hashFormat(() => clock.now());
    this.#trouble = new FirstTrouble(options.onTrouble);
    this.#writtenMs = clock.now();
    try {
      this.#folder = new SegmentFolder(this.#format, folder, MAX_BYTES, clock);
    } catch (error) {
      this.#trouble.note(error);
    }
  }

  /** What is known of the file at `path` below the root of its server or disk. */
  find(storeId: string, path: string): HashRecord | undefined {
    const store = this.#store(storeId);
    store.finders ??= (this.#folder?.use(store.id) ?? []).map(
      (file) => new SegmentFinder(this.#format, file, store.id),
    );
    const found = [
      ...store.finders.map((finder) => finder.find(path)),
      store.leaving.get(path),
      store.fresh.get(path),
    ];
    return this.#latest(found.filter((record) => record !== undefined));
  }

  /** Records the hashes of the file `record.name`. */
  learn(storeId: string, record: HashRecord): void {
    if (this.#isClosed) return;
    const { fresh } = this.#store(storeId);
    const known = fresh.get(record.name);
    if (known === undefined) this.#count++;
    fresh.set(known === undefined ? record : laterRecord(known, record));
    const isLate = Math.abs(record.readMs - this.#writtenMs) > WRITE_AFTER_MS;
    if (!isLate && this.#count < (this.#options.mostUnwritten ?? MOST_UNWRITTEN)) return;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Writes what was learned; nothing more is recorded. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    await this.#write();
    for (const store of this.#stores.values()) closeFinders(store);
    if (this.#hasWritten) this.#trouble.try(() => this.#folder?.trim());
  }

  readonly #latest = (same: readonly HashRecord[]) => latestRecord(same, this.clock.now());

  #newRecords(): FreshRecords<HashRecord> {
    return new FreshRecords(this.#format);
  }

  #store(storeId: string): Store {
    let store = this.#stores.get(storeId);
    if (store === undefined) {
      const id = storeId === DISK_STORE ? DISK_ID : hash('sha256', storeId).slice(0, 32);
      store = { id, fresh: this.#newRecords(), leaving: this.#newRecords(), finders: undefined };
      this.#stores.set(storeId, store);
    }
    return store;
  }

  async #write(): Promise<void> {
    this.#count = 0;
    this.#writtenMs = this.clock.now();
    for (const store of this.#stores.values()) {
      if (store.fresh.count === 0) continue;
      store.leaving = store.fresh;
      store.fresh = this.#newRecords();
      await this.#writeStore(store);
      store.leaving = this.#newRecords();
      closeFinders(store);
    }
  }

  async #writeStore({ id, leaving }: Store): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined) return;
    const { clock } = this;
    const oldestMs = clock.now() - FORGET_AFTER_MS;
    const absorbed = comparableSegments(folder.segments(id), leaving.size).map((path) => ({
      path,
      keeps: (reader: RecordSource<HashRecord>) => readMsOf(reader.bytes()) >= oldestMs,
    }));
    const pause = pauses(clock);
    try {
      const hasWritten = await writeSegment(
        folder,
        { id, fresh: leaving, absorbed, choose: this.#latest },
        pause,
      );
      this.#hasWritten ||= hasWritten;
    } catch (error) {
      this.#trouble.note(error);
      this.#folder = undefined;
    }
  }
}

function closeFinders(store: Store): void {
  for (const finder of store.finders ?? []) finder.close();
  store.finders = undefined;
}
