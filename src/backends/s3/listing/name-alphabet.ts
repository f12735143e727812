import { compareNames } from '../../../core/name-order.ts';
import type { ListedKey } from '../xml/read-answer.ts';

/** Keys of a page that are looked at. */
const SAMPLES = 64;
/** Characters from the first that differs on. */
const CHARACTERS = 3;
/** Characters of a name that decide its place. */
const PLACES = 8;

const DIGIT_CODES = Array.from('0123456789', (digit) => digit.charCodeAt(0));
/** More are not needed to divide. */
const MOST_CODES = 512;

/** Two keys and how many pages lie between them. */
export interface Scale {
  readonly first: string;
  readonly last: string;
  readonly pages: number;
}

/** The characters that occur where the keys of a listing differ. */
export class NameAlphabet {
  readonly #known = new Set<number>();
  #codes: readonly number[] = [];
  /** The same by their index in a name. */
  readonly #knownAt: Set<number>[] = [];
  readonly #codesAt: (readonly number[])[] = [];

  /** The code points, in order. */
  get codes(): readonly number[] {
    return this.#codes;
  }

  /** How many pages lie between two names if they are spread as on a scale: `Infinity` if that cannot be estimated. */
  pagesBetween({ first, last, pages }: Scale, from: string, to: string): number {
    if (compareNames(from, to) >= 0) return 0;
    const shared = Math.min(sharedLength(first, to), sharedLength(from, to));
    const length = this.#place(last, shared) - this.#place(first, shared);
    const distance = this.#place(to, shared) - this.#place(from, shared);
    return length > 0 ? (pages * distance) / length : Number.POSITIVE_INFINITY;
  }

  /** A name about this many pages after another, as spread on a scale; `undefined` if that cannot be estimated. */
  ahead({ first, last, pages }: Scale, from: string, distance: number): string | undefined {
    let shared = Math.min(sharedLength(first, last), sharedLength(first, from));
    for (; shared >= 0; shared--) {
      // Between the halves of a character.
      if (/[\udc00-\udfff]/.test(from[shared] ?? '')) continue;
      const step = (this.#place(last, shared) - this.#place(first, shared)) / pages;
      const place = this.#place(from, shared) + step * distance;
      if (place >= 1) continue;
      return step > 0 ? this.#nameAt(place, step / 4, from.slice(0, shared)) : undefined;
    }
    return undefined;
  }

  #nameAt(place: number, precision: number, prefix: string): string {
    let rest = place;
    let name = prefix;
    for (let unit = 1; unit > precision; ) {
      const codes = this.#codesAt[name.length] ?? [];
      unit /= codes.length + 2;
      const digit = Math.floor(rest / unit);
      rest -= digit * unit;
      if (digit === 0) break;
      const code = codes[digit - 1];
      if (code === undefined) {
        const last = codes.at(-1) ?? 0;
        return name + String.fromCodePoint(last === 0xd7ff ? 0xe000 : Math.min(last + 1, 0x10ffff));
      }
      name += String.fromCodePoint(code);
    }
    return name;
  }

  /** The part of a name from an index on as a fraction, with the characters as digits. */
  #place(name: string, from: number): number {
    let place = 0;
    let unit = 1;
    let at = from;
    for (const character of name.slice(from, from + PLACES)) {
      const code = character.codePointAt(0) ?? 0;
      const codes = this.#codesAt[at] ?? [];
      unit /= codes.length + 2;
      const below = codes.findIndex((known) => known >= code);
      place += unit * (1 + (below < 0 ? codes.length : below));
      at += character.length;
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
      const key = keys[i]?.key ?? '';
      for (const character of key.slice(shared, shared + CHARACTERS)) {
        const code = character.codePointAt(0) ?? 0;
        if (code < 0xd800 || code > 0xdfff) this.#known.add(code);
      }
      this.#learnAt(key, shared, shared + PLACES);
    }
    for (const key of [first, last]) this.#learnAt(key, 0, shared);
    if (this.#known.size > before) this.#codes = [...this.#known].sort((a, b) => a - b);
  }

  #learnAt(key: string, from: number, to: number): void {
    let at = from;
    for (const character of key.slice(from, to)) {
      const code = character.codePointAt(0) ?? 0;
      const known = this.#knownAt[at] ?? new Set();
      const isNew = (code < 0xd800 || code > 0xdfff) && !known.has(code);
      if (isNew && known.size < MOST_CODES) {
        // Where one digit occurs, all may.
        for (const one of DIGIT_CODES.includes(code) ? DIGIT_CODES : [code]) known.add(one);
        this.#knownAt[at] = known;
        this.#codesAt[at] = [...known].sort((a, b) => a - b);
      }
      at += character.length;
    }
  }
}

/** Of two names, in whole code points. */
function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  const isSplit = /[\ud800-\udbff]/.test(a[length - 1] ?? '');
  return isSplit ? length - 1 : length;
}
