import { hash } from 'node:crypto';
import type { Clock } from '../core/context.ts';
import { FirstTrouble } from '../segments/first-trouble.ts';
import { FreshRecords } from '../segments/fresh-records.ts';
import { SegmentFolder } from '../segments/segment-folder.ts';
import { pauses } from '../segments/write-segment.ts';
import { DirectoryTimes, type SeenSegment } from './directory-times.ts';
import { isYoung, type KnownTime, type LearnedTime, settled } from './known-time.ts';
import { TIME_FORMAT } from './time-format.ts';
import { writeDirectory } from './write-directory.ts';

/** Options of the index. */
export interface ModTimeIndexOptions {
  /** The directory of its files; created if missing. */
  readonly folder: string;
  readonly clock: Clock;
  /** Called once, with the reason, if there is no index or it cannot be written. */
  readonly onTrouble: (error: unknown) => void;
  /** Limit of all its files, in bytes; 256 MiB by default. */
  readonly maxBytes?: number;
  /** Number of learned times that are written together; 4,096 by default. The rest is written at the end. */
  readonly mostUnwritten?: number;
}

const MAX_BYTES = 256 * 1024 ** 2;
const MOST_UNWRITTEN = 4096;

/** Directories whose IDs are kept. */
const MOST_IDS = 256;

type Unwritten = Map<string, Map<string, LearnedTime>>;

/**
 * Modification times that runs have learned and listings do not have. Lost ones are requested again. Nothing here
 * rejects; without a usable directory nothing is known.
 */
export class ModTimeIndex {
  readonly clock: Clock;
  readonly #options: ModTimeIndexOptions;
  #folder: SegmentFolder<KnownTime> | undefined;
  #isClosed = false;
  readonly #ids = new Map<string, string>();
  #unwritten: Unwritten = new Map();
  #count = 0;
  #writeAt: number;
  #leaving: Unwritten = new Map();
  #writing: Promise<void> | undefined;
  readonly #seen = new Map<string, readonly SeenSegment[]>();
  #hasWritten = false;
  readonly #trouble: FirstTrouble;

  constructor(options: ModTimeIndexOptions) {
    this.clock = options.clock;
    this.#options = options;
    this.#trouble = new FirstTrouble(options.onTrouble);
    this.#writeAt = options.mostUnwritten ?? MOST_UNWRITTEN;
    this.#trouble.try(() => {
      const { folder, maxBytes = MAX_BYTES, clock } = options;
      this.#folder = new SegmentFolder(TIME_FORMAT, folder, maxBytes, clock);
    });
  }

  /**
   * The known times of a directory, to read along with its listing.
   *
   * @param storeId identifies the server and bucket or drive of the remote
   * @param dir its path there
   */
  open(storeId: string, dir: string): DirectoryTimes {
    const id = this.#idOf(storeId, dir);
    const readers = this.#folder?.read(id) ?? [];
    return new DirectoryTimes(id, readers, (name) => this.#fresh(id, name));
  }

  /** The whole listing of a directory was read. */
  finish(directory: DirectoryTimes): void {
    const seen = directory.finish();
    if (seen !== undefined) this.#seen.set(directory.id, seen);
  }

  /** The ID of a directory, in file names. Responses about files of several directories alternate. */
  #idOf(storeId: string, dir: string): string {
    const name = `${storeId}\n${dir}`;
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    if (this.#ids.size >= MOST_IDS) this.#ids.clear();
    // It reveals no path.
    const id = hash('sha256', JSON.stringify([storeId, dir])).slice(0, 32);
    this.#ids.set(name, id);
    return id;
  }

  /** Records what a call returned about the file `name`. `undefined` drops what this run had recorded. */
  learn(storeId: string, dir: string, name: string, learned: LearnedTime | undefined): void {
    if (this.#folder === undefined || this.#isClosed) return;
    const id = this.#idOf(storeId, dir);
    if (learned === undefined) {
      if (this.#unwritten.get(id)?.delete(name)) this.#count--;
      this.#leaving.get(id)?.delete(name);
      return;
    }
    let names = this.#unwritten.get(id);
    if (names === undefined) {
      names = new Map();
      this.#unwritten.set(id, names);
    }
    if (!names.has(name)) this.#count++;
    names.set(name, learned);
    if (this.#count < this.#writeAt) return;
    this.#writing ??= this.#write(true).finally(() => {
      this.#writing = undefined;
    });
  }

  /** Writes what was learned; nothing more is recorded. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#writing;
    await this.#write(false);
    if (this.#hasWritten) this.#trouble.try(() => this.#folder?.trim());
  }

  #fresh(id: string, name: string): KnownTime | undefined {
    const learned = this.#unwritten.get(id)?.get(name) ?? this.#leaving.get(id)?.get(name);
    return learned === undefined ? undefined : settled(learned, this.clock.monotonic());
  }

  /** @param keepYoung keep times of objects that are too young for later; otherwise they are dropped */
  async #write(keepYoung: boolean): Promise<void> {
    const { clock } = this;
    this.#leaving = this.#unwritten;
    this.#unwritten = new Map();
    this.#count = 0;
    const pause = pauses(clock);
    for (const id of new Set([...this.#leaving.keys(), ...this.#seen.keys()])) {
      const names = this.#leaving.get(id) ?? new Map<string, LearnedTime>();
      await this.#writeOne(id, names, pause);
      if (keepYoung) this.#keepYoung(id, names);
      this.#leaving.delete(id);
    }
    this.#writeAt = this.#count + (this.#options.mostUnwritten ?? MOST_UNWRITTEN);
  }

  async #writeOne(
    id: string,
    names: ReadonlyMap<string, LearnedTime>,
    pause: () => Promise<void>,
  ): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined) return;
    const nowMs = this.clock.monotonic();
    const fresh = new FreshRecords(TIME_FORMAT);
    for (const learned of names.values()) {
      const known = settled(learned, nowMs);
      if (known !== undefined) fresh.set(known);
    }
    const seen = this.#seen.get(id);
    this.#seen.delete(id);
    try {
      const hasWritten = await writeDirectory(folder, { id, fresh, seen }, pause);
      this.#hasWritten ||= hasWritten;
    } catch (error) {
      this.#trouble.note(error);
      this.#folder = undefined;
    }
  }

  #keepYoung(id: string, names: ReadonlyMap<string, LearnedTime>): void {
    const nowMs = this.clock.monotonic();
    const young = [...names].filter(([, learned]) => isYoung(learned, nowMs));
    if (young.length === 0) return;
    const newer = this.#unwritten.get(id) ?? new Map<string, LearnedTime>();
    for (const [name, learned] of young) {
      if (newer.has(name)) continue;
      newer.set(name, learned);
      this.#count++;
    }
    this.#unwritten.set(id, newer);
  }
}
