import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { joinPath, leafName, parentPath } from '../../../src/core/remote-path.ts';
import type { AgreedPage } from '../../../src/state/pairs.ts';
import type { Agreed, Mark } from './decide-two-way.ts';

/** A file about which both sides agreed. */
export interface AgreedFile extends Agreed {
  /** Its path on the second side, if names that count as equal are not identical. */
  readonly bPath?: string;
}

/** Files by path: those of pages, but for what has changed since. */
export class AgreedFiles {
  readonly #pages: AgreedPages;
  /** Texts of entries by path; `undefined`: a file of a page is gone. */
  readonly #changed: Map<string, string | undefined>;
  #size: number;

  constructor(pages: readonly AgreedPage[] | AgreedFiles = []) {
    const isCopy = pages instanceof AgreedFiles;
    this.#pages = isCopy ? pages.#pages : new AgreedPages(pages);
    this.#changed = new Map(isCopy ? pages.#changed : []);
    this.#size = isCopy ? pages.#size : pages.reduce((sum, { files }) => sum + files, 0);
  }

  get size(): number {
    return this.#size;
  }

  get(path: string): AgreedFile | undefined {
    const entry = this.#entry(path);
    if (entry === undefined) return undefined;
    const [, a, b, bPath] = entry;
    const marks = { a: unpacked(a), b: unpacked(b) };
    return bPath === undefined ? marks : { ...marks, bPath };
  }

  set(path: string, { a, b, bPath }: AgreedFile): this {
    const marks = [leafName(path), packed(a), packed(b)] as const;
    const entry: AgreedEntry = bPath === undefined ? marks : [...marks, bPath];
    const before = this.#pages.find(path);
    if (this.#entry(path) === undefined) this.#size++;
    const isSame =
      before !== undefined &&
      isSameMark(before[1], entry[1]) &&
      isSameMark(before[2], entry[2]) &&
      before[3] === bPath;
    if (isSame) this.#changed.delete(path);
    else this.#changed.set(path, JSON.stringify(entry));
    return this;
  }

  delete(path: string): void {
    if (this.#entry(path) !== undefined) this.#size--;
    if (this.#pages.find(path) === undefined) this.#changed.delete(path);
    else this.#changed.set(path, undefined);
  }

  *paths(): Generator<string> {
    for (const [path] of this.#entries(() => true)) yield path;
  }

  /** Directories with files, some of them several times. */
  *dirs(): Generator<string> {
    const gone = new Map<number, number>();
    for (const [path, text] of this.#changed) {
      const page = this.#pages.pageOf(path);
      if (text === undefined) gone.set(page, (gone.get(page) ?? 0) + 1);
      else yield parentPath(path);
    }
    for (const [n, { dir, files }] of this.#pages.pages.entries()) {
      if (files > (gone.get(n) ?? 0)) yield dir;
    }
  }

  /** Paths on both sides that are not identical, by that on the second one. */
  otherNames(): Map<string, string> {
    const names = new Map<string, string>();
    const entries = this.#entries(({ hasOtherNames }) => hasOtherNames);
    for (const [path, [, , , bPath]] of entries) if (bPath !== undefined) names.set(bPath, path);
    return names;
  }

  /** All of it as pages, those without a change as they were; one also for each of `dirs` without files. */
  toPages(dirs: Iterable<string>): AgreedPage[] {
    const made: AgreedPage[] = [];
    const empty = new Map<string, AgreedPage>();
    const changed = Map.groupBy(this.#changed.keys(), (path) => {
      const page = this.#pages.pageOf(path);
      return page < 0 ? parentPath(path) : page;
    });
    const make = (dir: string, first: string, paths: readonly string[], kept: AgreedEntry[]) => {
      const texts = new Map(kept.map((entry) => [entry[0], JSON.stringify(entry)]));
      for (const path of paths) {
        const text = this.#changed.get(path);
        if (text === undefined) texts.delete(leafName(path));
        else texts.set(leafName(path), text);
      }
      for (const page of makePages(dir, first, texts)) made.push(page);
    };
    for (const [n, page] of this.#pages.pages.entries()) {
      const paths = changed.get(n);
      if (paths !== undefined) make(page.dir, page.first, paths, this.#pages.entriesOf(page));
      else if (page.files > 0) made.push(page);
      else empty.set(page.dir, page);
    }
    for (const [dir, paths] of changed) if (typeof dir === 'string') make(dir, '', paths, []);
    const filled = new Set(made.map(({ dir }) => dir));
    const none = { first: '', files: 0, hasOtherNames: false, bytes: Buffer.from('[]') };
    for (const dir of dirs) if (!filled.has(dir)) made.push(empty.get(dir) ?? { dir, ...none });
    return made;
  }

  #entry(path: string): AgreedEntry | undefined {
    if (!this.#changed.has(path)) return this.#pages.find(path);
    const text = this.#changed.get(path);
    return text === undefined ? undefined : (JSON.parse(text) as AgreedEntry);
  }

  *#entries(takes: (page: AgreedPage) => boolean): Generator<readonly [string, AgreedEntry]> {
    for (const page of this.#pages.pages) {
      for (const entry of takes(page) ? this.#pages.entriesOf(page) : []) {
        const path = joinPath(page.dir, entry[0]);
        if (!this.#changed.has(path)) yield [path, entry];
      }
    }
    for (const [path, text] of this.#changed) {
      if (text !== undefined) yield [path, JSON.parse(text) as AgreedEntry];
    }
  }
}

function isSameMark(x: PackedMark, y: PackedMark): boolean {
  return x.length === y.length && x.every((value, n) => value === y[n]);
}

function packed({ size, modTime, storedTime, tag, hash, isYoung, id }: Mark): PackedMark {
  const [time, stored] = [modTime?.toString() ?? '', storedTime?.toString() ?? ''];
  const young = isYoung === true ? 1 : 0;
  const mark = [size, time, stored, tag ?? null, hash ?? null, young] as const;
  return id === undefined ? mark : [...mark, id];
}

function unpacked([size, modTime, storedTime, tag, hash, isYoung, id]: PackedMark): Mark {
  return {
    size,
    ...(modTime === '' ? {} : { modTime: BigInt(modTime) }),
    ...(storedTime === '' ? {} : { storedTime: BigInt(storedTime) }),
    ...(tag === null ? {} : { tag }),
    ...(hash === null ? {} : { hash }),
    ...(id === undefined ? {} : { id }),
    ...(isYoung === 1 ? { isYoung: true } : {}),
  };
}

/** What both sides had when they last agreed. */
export interface Archive {
  /** Identities of both roots: the archive of another pair is never used. */
  readonly roots: readonly [a: string, b: string];
  /** When the run ended, in milliseconds since the epoch. */
  readonly endedMs: number;
  /** By path on the first side. */
  readonly files: AgreedFiles;
  /** Directories that both sides had. */
  readonly dirs: ReadonlySet<string>;
  /** What runs have deleted because the other side had, by path on the first side; absent if nothing. */
  readonly deleted?: ReadonlyMap<string, DeletedFile>;
}

/** A file that a run has deleted; its time in seconds, if it had one. */
export interface DeletedFile {
  readonly size: number;
  readonly seconds?: number;
}

/** Values of a `Mark`, in its order. */
type PackedMark = readonly [
  size: number,
  modTime: string,
  storedTime: string,
  tag: string | null,
  hash: string | null,
  isYoung: 0 | 1,
  id?: string,
];

/** A file of a page; its path on the second side only if that is another one. */
type AgreedEntry = readonly [name: string, a: PackedMark, b: PackedMark, bPath?: string];

class AgreedPages {
  /** By directory, then by name. */
  readonly pages: readonly AgreedPage[];
  readonly #decoded = new Map<AgreedPage, ReadonlyMap<string, AgreedEntry>>();
  #last = -1;

  constructor(pages: readonly AgreedPage[]) {
    this.pages = pages.toSorted((x, y) => compare(x.dir, y.dir) || compare(x.first, y.first));
  }

  /** The number of the page that has or would have a path; -1 if there is none. */
  pageOf(path: string): number {
    const [dir, name] = [parentPath(path), leafName(path)];
    const { pages } = this;
    const isBefore = (page: AgreedPage | undefined) =>
      page !== undefined && (compare(page.dir, dir) || compare(page.first, name)) <= 0;
    if (!isBefore(pages[this.#last]) || isBefore(pages[this.#last + 1])) {
      let [low, high] = [0, pages.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (isBefore(pages[middle])) low = middle + 1;
        else high = middle;
      }
      this.#last = low - 1;
    }
    return pages[this.#last]?.dir === dir ? this.#last : -1;
  }

  find(path: string): AgreedEntry | undefined {
    const page = this.pages[this.pageOf(path)];
    return page && this.#decode(page).get(leafName(path));
  }

  entriesOf(page: AgreedPage): AgreedEntry[] {
    return [...this.#decode(page).values()];
  }

  #decode(page: AgreedPage): ReadonlyMap<string, AgreedEntry> {
    const known = this.#decoded.get(page);
    if (known !== undefined) return known;
    const isPlain = page.bytes[0] === '['.charCodeAt(0);
    const bytes = isPlain ? page.bytes : zstdDecompressSync(page.bytes);
    const entries = JSON.parse(Buffer.from(bytes).toString()) as AgreedEntry[];
    const decoded = new Map(entries.map((entry) => [entry[0], entry]));
    const [oldest] = this.#decoded.keys();
    // Several directories are walked at a time.
    if (this.#decoded.size >= 16 && oldest !== undefined) this.#decoded.delete(oldest);
    this.#decoded.set(page, decoded);
    return decoded;
  }
}

/** Pages of files of a directory, by their entries (JSON) by last name. `first`: of the first page. */
function makePages(dir: string, first: string, files: ReadonlyMap<string, string>): AgreedPage[] {
  const names = [...files.keys()].sort(compare);
  const pages: AgreedPage[] = [];
  // At most 1000, and all alike: after a full page each new name would have one of its own.
  const length = Math.ceil(names.length / Math.ceil(names.length / 1000));
  for (let from = 0; from < names.length; from += length) {
    const texts = names.slice(from, from + length).map((name) => files.get(name) as string);
    const plain = Buffer.from(`[${texts.join(',')}]`);
    pages.push({
      dir,
      first: from === 0 ? first : (names[from] as string),
      files: texts.length,
      hasOtherNames: texts.some((text) => !text.endsWith(']]')),
      // Below, that takes longer than it saves.
      bytes: plain.length < 4096 ? plain : zstdCompressSync(plain),
    });
  }
  return pages;
}

/** Any order that is always the same does. */
function compare(x: string, y: string): number {
  if (x === y) return 0;
  return x < y ? -1 : 1;
}
