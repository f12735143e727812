/** Where a byte that is not UTF-8 stands among code points: before U+201B, which quotes it in S3 (`‛FF`). */
const BEFORE_QUOTE = 0x201a;

/**
 * The order of names everywhere: by bytes (UTF-8), as in S3, rclone and `LC_ALL=C sort`. JavaScript's `<` puts
 * U+1F600 before U+FF00. A byte that is not UTF-8 stands where S3 sorts its quoted form: a listing in order must not
 * depend on names that come later.
 */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // From the surrogates on, which also stand for single bytes, the order of units is not that of names.
    if ((x < 0xd800 && y < 0xd800) || x < 0x80 || y < 0x80) return x - y;
    const at = i > 0 && (a.charCodeAt(i - 1) & 0xfc00) === 0xd800 ? i - 1 : i;
    return placeOfPoint(a, at) - placeOfPoint(b, at) || x - y;
  }
  return a.length - b.length;
}

/** A name as bytes that sort as `compareNames` sorts names. */
export function sortedBytes(name: string): Buffer {
  if (name.isWellFormed()) return Buffer.from(name);
  // Every second part is a byte, which stands behind U+201A, whatever follows it, and before U+201B.
  const parts = name
    .split(/([\udc80-\udcff])/u)
    .map((part, index) =>
      index % 2 === 1
        ? Buffer.of(0xe2, 0x80, 0x9a, 0xff, part.charCodeAt(0) & 0xff)
        : Buffer.from(part),
    );
  return Buffer.concat(parts);
}

/** Whether a name lies between two others; without `high`, behind `low`. */
export function isBetween(name: string, low: string, high: string | undefined): boolean {
  return compareNames(low, name) < 0 && (high === undefined || compareNames(name, high) < 0);
}

function placeOfPoint(name: string, at: number): number {
  const point = name.codePointAt(at) ?? 0;
  const isByte = point >= 0xdc80 && point <= 0xdcff;
  return isByte ? BEFORE_QUOTE + (point & 0xff) / 0x100 : point;
}

/** Whether `<` orders a name as `compareNames`, among others for which it does: it has nothing above the surrogates. */
export const isOrderedByUnits = (name: string): boolean => !/[\ud800-\uffff]/.test(name);

/** Compares each name with the one before, in less time than `compareNames`. */
export class NamesInTurn {
  #before: string | undefined;
  #wasSimple = true;

  constructor(before?: string) {
    if (before !== undefined) this.next(before);
  }

  /** As `compareNames(name, before)`; positive for the first name. */
  next(name: string): number {
    const before = this.#before;
    const wasSimple = this.#wasSimple;
    this.#before = name;
    this.#wasSimple = isOrderedByUnits(name);
    if (before === undefined) return 1;
    if (!wasSimple || !this.#wasSimple) return compareNames(name, before);
    if (before < name) return 1;
    return before === name ? 0 : -1;
  }
}

/** The fields that `compareEntries` compares. */
interface Ordered {
  readonly kind: 'file' | 'dir';
  readonly path: string;
}

/**
 * The order of a sorted listing: names by bytes, a directory as if its name ended in `/`, as in S3 (`a-b` before
 * `a/`) and git trees.
 */
export function compareEntries(a: Ordered, b: Ordered): number {
  return compareNames(placeOf(a), placeOf(b));
}

/** The name that decides about the place of an entry; see `compareEntries`. */
export const placeOf = ({ kind, path }: Ordered): string => (kind === 'dir' ? `${path}/` : path);

/**
 * Equal for names that differ only in case: each letter in lower case by itself, as in rclone. `toLowerCase` of a
 * whole word changes a final Σ.
 */
export const foldName = (name: string): string => name.replaceAll('\u03a3', '\u03c3').toLowerCase();
