import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { leafName, parentPath } from '../../../src/core/remote-path.ts';
import type { AgreedPage } from '../../../src/state/pairs.ts';

/** Values of a `Mark`, in its order. */
export type PackedMark = readonly [
  size: number,
  modTime: string,
  storedTime: string,
  tag: string | null,
  hash: string | null,
  isYoung: 0 | 1,
  id?: string,
];

/** A file of a page; its path on the second side only if that is another one. */
export type AgreedEntry = readonly [name: string, a: PackedMark, b: PackedMark, bPath?: string];

/** How many files a page has at most. */
const MOST_FILES = 1000;
/** From how many bytes on a page is compressed: below, that takes longer than it saves. */
const LARGE = 4096;
/** How many pages stay decoded: several directories are walked at a time. */
const MOST_DECODED = 16;

/** Pages whose files are found by path. */
export class AgreedPages {
  /** By directory, then by name. */
  readonly pages: readonly AgreedPage[];
  readonly #decoded = new Map<AgreedPage, ReadonlyMap<string, AgreedEntry>>();
  /** The page that was asked for last. */
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

  /** The files of a page. */
  entriesOf(page: AgreedPage): AgreedEntry[] {
    return [...this.#decode(page).values()];
  }

  #decode(page: AgreedPage): ReadonlyMap<string, AgreedEntry> {
    const known = this.#decoded.get(page);
    if (known !== undefined) return known;
    const bytes = page.bytes[0] === PLAIN_START ? page.bytes : zstdDecompressSync(page.bytes);
    const entries = JSON.parse(Buffer.from(bytes).toString()) as AgreedEntry[];
    const decoded = new Map(entries.map((entry) => [entry[0], entry]));
    const [oldest] = this.#decoded.keys();
    if (this.#decoded.size >= MOST_DECODED && oldest !== undefined) this.#decoded.delete(oldest);
    this.#decoded.set(page, decoded);
    return decoded;
  }
}

const PLAIN_START = '['.charCodeAt(0);
const NO_FILES = Buffer.from('[]');

/** The page of a directory without files. */
export function emptyPage(dir: string): AgreedPage {
  return { dir, first: '', files: 0, hasOtherNames: false, bytes: NO_FILES };
}

/**
 * Pages of some files of a directory.
 *
 * @param first of the first page
 * @param files the texts of their entries (JSON), by last name
 */
export function makePages(
  dir: string,
  first: string,
  files: ReadonlyMap<string, string>,
): AgreedPage[] {
  const names = [...files.keys()].sort(compare);
  const pages: AgreedPage[] = [];
  // All alike: after a full page each new name would have one of its own.
  const length = Math.ceil(names.length / Math.ceil(names.length / MOST_FILES));
  for (let from = 0; from < names.length; from += length) {
    const texts = names.slice(from, from + length).map((name) => files.get(name) as string);
    const plain = Buffer.from(`[${texts.join(',')}]`);
    pages.push({
      dir,
      first: from === 0 ? first : (names[from] as string),
      files: texts.length,
      hasOtherNames: texts.some((text) => !text.endsWith(']]')),
      bytes: plain.length < LARGE ? plain : zstdCompressSync(plain),
    });
  }
  return pages;
}

/** Any order that is always the same does. */
function compare(x: string, y: string): number {
  if (x === y) return 0;
  return x < y ? -1 : 1;
}
