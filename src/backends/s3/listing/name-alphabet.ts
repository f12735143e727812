import { compareNames } from '../../../core/name-order.ts';
import type { ListedKey } from '../xml/list-page.ts';

/** Keys of a page that are looked at. */
const SAMPLES = 64;

/** Characters from the first that differs on. */
const CHARACTERS = 3;

/** Characters of a name that decide its place. */
const DIGITS = 8;

/** More are not needed to divide. */
const MOST_CODES = 512;

/** The characters that occur where the keys of a listing differ. */
export class NameAlphabet {
  readonly #known = new Set<number>();
  #codes: readonly number[] = [];

  /** The code points, in order. */
  get codes(): readonly number[] {
    return this.#codes;
  }

  /** How much lies between `last` and `end`, compared with that between `first` and `last`, if names are spread evenly. */
  share(first: string, last: string, end: string): number {
    const [a, b, c] = this.#places(first, last, end);
    return b > a && c > b ? (c - b) / (b - a) : Number.POSITIVE_INFINITY;
  }

  /** A name between `last` and `end`, with this share of what lies between them before it. `undefined` if there is none. */
  point(first: string, last: string, end: string, share: number): string | undefined {
    const [a, b, c] = this.#places(first, last, end);
    if (!(b > a && c > b)) return undefined;
    let place = b + share * (c - b);
    let name = first.slice(0, sharedLength(first, end));
    const codes = this.#codes;
    for (let unit = 1; unit > ((c - b) * share) / 4; ) {
      unit /= codes.length + 2;
      const digit = Math.min(Math.floor(place / unit), codes.length);
      place -= digit * unit;
      const code = codes[digit - 1];
      if (code === undefined) break;
      name += String.fromCodePoint(code);
    }
    return compareNames(last, name) < 0 && compareNames(name, end) < 0 ? name : undefined;
  }

  #places(first: string, last: string, end: string): [number, number, number] {
    const shared = sharedLength(first, end);
    const placeOf = (name: string) => this.#place(name.slice(shared));
    return [placeOf(first), placeOf(last), placeOf(end)];
  }

  /** A name as a fraction, with the characters as digits. */
  #place(name: string): number {
    let place = 0;
    let unit = 1;
    for (const character of name.slice(0, DIGITS)) {
      const code = character.codePointAt(0) ?? 0;
      unit /= this.#codes.length + 2;
      const below = this.#codes.findIndex((known) => known >= code);
      place += unit * (1 + (below < 0 ? this.#codes.length : below));
    }
    return place;
  }

  /** Adds those of a page. */
  learn(keys: readonly Pick<ListedKey, 'key'>[]): void {
    const [first, last] = [keys[0]?.key ?? '', keys.at(-1)?.key ?? ''];
    const shared = sharedLength(first, last);
    const before = this.#known.size;
    const step = Math.max(1, Math.floor(keys.length / SAMPLES));
    for (let i = 0; i < keys.length && this.#known.size < MOST_CODES; i += step) {
      for (const character of (keys[i]?.key ?? '').slice(shared, shared + CHARACTERS)) {
        const code = character.codePointAt(0) ?? 0;
        if (code < 0xd800 || code > 0xdfff) this.#known.add(code);
      }
    }
    if (this.#known.size > before) this.#codes = [...this.#known].sort((a, b) => a - b);
  }
}

/** Of two names, in whole code points. */
function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  const isSplit = /[\ud800-\udbff]/.test(a[length - 1] ?? '');
  return isSplit ? length - 1 : length;
}
